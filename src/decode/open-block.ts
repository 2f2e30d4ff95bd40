import type { Wrapper } from '../../codec/proposervm.ts'
import { DecodeError } from '../errors.ts'
import type { Container, HeightBlock } from '../model.ts'
import { type BlockRecord, recordFacts } from './container-facts.ts'
import { openContainer } from './open-container.ts'
import { type WrapperColumns, withoutWrapper, wrapperColumns } from './wrapper-columns.ts'

/** A block of the P-Chain or X-Chain, taken out of its record. */
export type OpenBlock = {
  readonly record: BlockRecord
  /** The bytes of the inner block. */
  readonly bytes: Uint8Array
  /** Null if the block was read by height. */
  readonly wrapper: Wrapper | null
  readonly columns: WrapperColumns
}

/** Opens the block in a container. Throws `DecodeError` if the id derived from the bytes differs from the container's. */
export function blockInContainer(container: Container): OpenBlock {
  const opened = openContainer(container)
  const { wrapper } = opened
  return { record: container, bytes: wrapper.block, wrapper, columns: wrapperColumns(container, opened) }
}

/** Opens a block that a node gave by height. Such a block has no separate id: only its reference to the previous block verifies it. */
export function blockAtHeight(block: HeightBlock): OpenBlock {
  return { record: block, bytes: block.bytes, wrapper: null, columns: withoutWrapper }
}

/** Opens the block of a record. Throws `DecodeError`. */
export function openBlock(record: BlockRecord): OpenBlock {
  return 'id' in record ? blockInContainer(record) : blockAtHeight(record)
}

/** Throws `DecodeError` if a block requested by height states another height. */
export function mustHaveHeight(record: BlockRecord, height: number): void {
  if ('id' in record || record.height === height) return
  throw new DecodeError(`The request was for block ${record.height}, and the node answered with block ${height}.`, {
    code: 'decode.block-height',
    details: recordFacts(record),
    hint: 'Run again, or use another node. Nothing of this unit was written.',
  })
}
