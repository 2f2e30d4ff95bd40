import { idText } from './cb58.ts'
import { keccak256 } from './keccak.ts'
import { firstByteOfRlp, unwrap, type Wrapper, wrappedContainerId } from './proposervm.ts'
import { itemOfList } from './rlp/index.ts'

/** The parts of a container of P/block, X/block or C/block. */
export type OpenedContainer = {
  readonly wrapper: Wrapper
  /** CB58 id (wire-format.md 1.2). The id of a bare C-Chain block is the hash of its header. Damaged bytes have an id, too. */
  readonly id: string
  /** CB58 id of the parent that the wrapper names; null without a wrapper. */
  readonly parentId: string | null
}

const opened = new WeakMap<Uint8Array, OpenedContainer>()

/**
 * Splits a container and derives its id, once per array of bytes. The source, the check of parents and the decoder share the result. The
 * bytes must not change after the first call.
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

/** Returns the parent in the wrapper, or the parent in the block itself if the block is not wrapped. */
export function parentText(container: Uint8Array, innerParent: (block: Uint8Array) => Uint8Array): string {
  const { wrapper, parentId } = openOnce(container)
  return parentId ?? idText(innerParent(wrapper.block))
}
