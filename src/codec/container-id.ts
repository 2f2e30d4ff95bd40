import { idText } from './cb58.ts'
import { sha256 } from './hash.ts'
import { openOnce } from './opened-container.ts'

/** Id of a container of a block index as CB58 text, derived from its bytes. */
export function containerId(container: Uint8Array): string {
  return openOnce(container).id
}

/** Id of a container of X/tx or X/vtx, which are never wrapped, as CB58 text. */
export function plainContainerId(container: Uint8Array): string {
  return idText(sha256(container))
}
