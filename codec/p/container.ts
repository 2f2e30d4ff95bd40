import { decodeExactly } from '../linear/index.ts'
import { openOnce, parentText } from '../opened-container.ts'
import { pBlock } from './blocks.ts'

/** Returns the height of the block in a container of P/block. Throws `DecodeError`. */
export function pContainerHeight(container: Uint8Array): bigint {
  return decodeExactly(pBlock, openOnce(container).wrapper.block, 'block').height
}

/** Returns the CB58 id of the parent that a container of P/block names. Throws `DecodeError`. */
export function pContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(pBlock, block, 'block').parentID)
}
