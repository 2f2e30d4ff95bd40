import { decodeExactly } from '../linear/index.ts'
import { openOnce, parentText } from '../opened-container.ts'
import { cBlock, cBlockNumber } from './blocks.ts'

/** Returns the number of the block in a container of C/block, or null if it cannot be read. */
export function cContainerHeight(container: Uint8Array): bigint | null {
  return cBlockNumber(openOnce(container).wrapper.block)
}

/** Returns the CB58 id of the parent that a container of C/block names. Throws `DecodeError`. */
export function cContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(cBlock, block, 'block').header.parentHash)
}
