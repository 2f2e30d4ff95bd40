import { idText } from './cb58.ts'
import { sha256 } from './hash.ts'
import { keccak256 } from './keccak.ts'
import { firstByteOfRlp, unwrap, wrappedContainerId } from './proposervm.ts'
import { itemOfList } from './rlp/index.ts'

/**
 * Id of a container of a block index as CB58 text, derived from its bytes (wire-format.md 1.2): a bare C block has the
 * hash of its header. Damaged bytes have some id too, which no node gives.
 */
export function containerId(container: Uint8Array): string {
  if ((container[0] ?? 0) >= firstByteOfRlp) return idText(keccak256(itemOfList(container, 0) ?? container))
  return wrappedContainerId(container, unwrap(container))
}

/** Id of a container of X/tx or X/vtx, which are never wrapped, as CB58 text. */
export function plainContainerId(container: Uint8Array): string {
  return idText(sha256(container))
}
