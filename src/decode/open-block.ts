import type { Wrapper } from '../codec/proposervm.ts'
import { DecodeError } from '../errors.ts'
import type { Container, HeightBlock } from '../model.ts'
import { type BlockRecord, heightOf, recordFacts } from './container-facts.ts'
import { openContainer } from './open-container.ts'
import { type WrapperColumns, withoutWrapper, wrapperColumns } from './wrapper-columns.ts'

/** A block of the P or X chain out of what it came in. */
export type OpenBlock = {
  readonly record: BlockRecord
  /** Of the inner block. */
  readonly bytes: Uint8Array
  /** Null if unknown. */
  readonly wrapper: Wrapper | null
  readonly columns: WrapperColumns
}

/** Throws `DecodeError` when the bytes of the container do not give its id. */
export function blockInContainer(container: Container): OpenBlock {
  const opened = openContainer(container)
  const { wrapper } = opened
  return { record: container, bytes: wrapper.block, wrapper, columns: wrapperColumns(container, opened) }
}

/** A block that a node gave by height has no id beside it: only that it follows the one before it says that it is the right one. */
export function blockAtHeight(block: HeightBlock): OpenBlock {
  return { record: block, bytes: block.bytes, wrapper: null, columns: withoutWrapper }
}

/** A block out of either; throws what they throw. */
export function openBlock(record: BlockRecord): OpenBlock {
  return 'id' in record ? blockInContainer(record) : blockAtHeight(record)
}

/** Throws `DecodeError` when a block that was asked for by height has another one. */
export function mustHaveHeight(record: BlockRecord, height: number): void {
  if ('id' in record || heightOf(record) === height) return
  throw new DecodeError(`The node gave block ${height} where block ${heightOf(record)} was asked for.`, {
    code: 'decode.block-height',
    details: recordFacts(record),
    hint: 'Run again, or use another node. Nothing of this unit was written.',
  })
}
