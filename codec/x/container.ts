import { openOnce, parentText } from '../opened-container.ts'
import { xBlockHeight, xBlockParent } from './blocks.ts'

/** Returns the height of the block in a container of X/block, for any chain of the asset VM. Throws `DecodeError`. */
export function xContainerHeight(container: Uint8Array): bigint {
  return xBlockHeight(openOnce(container).wrapper.block)
}

/** Returns the CB58 id of the parent that a container of X/block names. Throws `DecodeError`. */
export function xContainerParent(container: Uint8Array): string {
  return parentText(container, xBlockParent)
}
