import { idText } from './cb58.ts'
import { keccak256 } from './keccak.ts'
import { firstByteOfRlp, unwrap, type Wrapper, wrappedContainerId } from './proposervm.ts'
import { itemOfList } from './rlp/index.ts'

/** A container of P/block, X/block or C/block taken apart. */
export type OpenedContainer = {
  readonly wrapper: Wrapper
  /** CB58 text of its id (wire-format.md 1.2): a bare C block has the hash of its header. Damaged bytes have some id too. */
  readonly id: string
  /** Of the container that the wrapper names as its parent; null without a wrapper. */
  readonly parentId: string | null
}

const opened = new WeakMap<Uint8Array, OpenedContainer>()

/**
 * Takes a container apart and derives its id, once for the same array of bytes: whoever reads it from the node, joins it to its
 * neighbours and decodes it needs the same. Its bytes must not change any more.
 */
export function openOnce(container: Uint8Array): OpenedContainer {
  const known = opened.get(container)
  if (known !== undefined) return known
  const wrapper = unwrap(container)
  const one = {
    wrapper,
    id: idOf(container, wrapper),
    parentId: wrapper.kind === 'none' ? null : idText(wrapper.parentId),
  }
  opened.set(container, one)
  return one
}

function idOf(container: Uint8Array, wrapper: Wrapper): string {
  if ((container[0] ?? 0) < firstByteOfRlp) return wrappedContainerId(container, wrapper)
  return idText(keccak256(itemOfList(container, 0) ?? container))
}
