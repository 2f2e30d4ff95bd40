import { cBlock } from '../c/blocks.ts'
import { idText } from '../cb58.ts'
import { decodeExactly } from '../linear/index.ts'
import { openOnce } from '../opened-container.ts'
import { pBlock } from '../p/blocks.ts'
import { xBlockParent } from '../x/blocks.ts'

/** Returns the CB58 id of the parent that a container of P/block names. Throws `DecodeError`. */
export function pContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(pBlock, block, 'block').parentID)
}

/** Returns the CB58 id of the parent that a container of X/block names. Throws `DecodeError`. */
export function xContainerParent(container: Uint8Array): string {
  return parentText(container, xBlockParent)
}

/** Returns the CB58 id of the parent that a container of C/block names. Throws `DecodeError`. */
export function cContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(cBlock, block, 'block').header.parentHash)
}

/** Returns the parent in the wrapper, or the parent in the block itself if the block is not wrapped. */
function parentText(container: Uint8Array, innerParent: (block: Uint8Array) => Uint8Array): string {
  const { wrapper, parentId } = openOnce(container)
  return parentId ?? idText(innerParent(wrapper.block))
}
