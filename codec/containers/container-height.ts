import { cBlockNumber } from '../c/blocks.ts'
import { decodeExactly } from '../linear/index.ts'
import { openOnce } from '../opened-container.ts'
import { pBlock } from '../p/blocks.ts'
import { xBlockHeight } from '../x/blocks.ts'

/** Returns the height of the block in a container of P/block. Throws `DecodeError`. */
export function pContainerHeight(container: Uint8Array): bigint {
  return decodeExactly(pBlock, openOnce(container).wrapper.block, 'block').height
}

/** Returns the height of the block in a container of X/block, for any chain of the asset VM. Throws `DecodeError`. */
export function xContainerHeight(container: Uint8Array): bigint {
  return xBlockHeight(openOnce(container).wrapper.block)
}

/** Returns the number of the block in a container of C/block, or null if it cannot be read. */
export function cContainerHeight(container: Uint8Array): bigint | null {
  return cBlockNumber(openOnce(container).wrapper.block)
}
