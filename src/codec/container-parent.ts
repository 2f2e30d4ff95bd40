import { idText } from './cb58.ts'
import { decodeExactly } from './linear/index.ts'
import { pBlock } from './p/blocks.ts'
import { unwrap } from './proposervm.ts'

/** The container that a container of P/block names as its parent, as CB58 text. Throws `DecodeError`. */
export function pContainerParent(container: Uint8Array): string {
  const wrapper = unwrap(container)
  if (wrapper.kind !== 'none') return idText(wrapper.parentId)
  return idText(decodeExactly(pBlock, wrapper.block, 'block').parentID)
}
