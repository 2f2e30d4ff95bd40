import type { EvmTrace } from '../../../schemas/evm-traces.ts'
import type { EvmBlockTraces } from '../../model.ts'
import { blockPlace } from './block-row.ts'
import { createKind, objects, topFields } from './fields.ts'
import type { EvmContext } from './read-block.ts'
import { readingBlock } from './reading-block.ts'
import { addTraceRows, untracedRow } from './trace-rows.ts'

type EvmTraceRows = { readonly traces: EvmTrace[] }

const headerKind = createKind('')
const tracesKind = createKind('')
const callKind = createKind('calls[]')
// A call within a call has the same fields: all depths share what the decoder knows about them.
tracesKind.inner.set('traces', callKind)
callKind.inner.set('calls', callKind)

/** In the place of the call of a transaction that the chain does not trace. */
const noFrame = {}

/** Returns the calls of the transactions of a block, as the call tracer lists them. Throws `DecodeError` with block and field. */
export function readEvmTraces(record: EvmBlockTraces, context: EvmContext): EvmTraceRows {
  return readingBlock(record.number, context, () => rowsOf(record, context))
}

function rowsOf({ block, transactionHashes, traces: [calls] }: EvmBlockTraces, context: EvmContext): EvmTraceRows {
  const place = blockPlace(topFields(block, headerKind), context)
  const rows: EvmTrace[] = []
  const unknown = new Set<string>()
  const frames = calls?.map((frame) => frame ?? noFrame)
  for (const [index, frame] of objects(topFields({ traces: frames }, tracesKind), 'traces').entries()) {
    const own = { ...place, transaction_index: index, transaction_hash: transactionHashes[index]! }
    if (frame.object === noFrame) rows.push(untracedRow(own))
    else addTraceRows(frame, own, rows, unknown)
  }
  for (const field of unknown) context.unknownField?.(field)
  return { traces: rows }
}
