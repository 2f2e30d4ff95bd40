import { cBlock } from '../c/blocks.ts'
import { idText } from '../cb58.ts'
import { decodeExactly } from '../linear/index.ts'
import { openOnce } from '../opened-container.ts'
import { pBlock } from '../p/blocks.ts'
import { xBlockParent } from '../x/blocks.ts'

/** The container that a container of P/block names as its parent, as CB58 text. Throws `DecodeError`. */
export function pContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(pBlock, block, 'block').parentID)
}

/** The container that a container of X/block names as its parent, as CB58 text. Throws `DecodeError`. */
export function xContainerParent(container: Uint8Array): string {
  return parentText(container, xBlockParent)
}

/** The container that a container of C/block names as its parent, as CB58 text. Throws `DecodeError`. */
export function cContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(cBlock, block, 'block').header.parentHash)
}

/** The outermost parent: the wrapper's, of a bare block its own. */
function parentText(container: Uint8Array, innerParent: (block: Uint8Array) => Uint8Array): string {
  const { wrapper, parentId } = openOnce(container)
  return parentId ?? idText(innerParent(wrapper.block))
}
