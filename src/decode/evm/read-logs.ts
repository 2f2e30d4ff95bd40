import type { EvmLog } from '../../../schemas/evm-logs.ts'
import type { EvmTokenTransfer } from '../../../schemas/evm-token-transfers.ts'
import type { EvmBlockLogs } from '../../model.ts'
import { blockPlace } from './block-row.ts'
import { count, createKind, hash, objects, topFields, unknownFields } from './fields.ts'
import { logRow } from './log-row.ts'
import type { EvmContext } from './read-block.ts'
import { readingBlock } from './reading-block.ts'
import { checkLog } from './same-block.ts'
import { tokenTransfers } from './token-transfers.ts'

export type EvmLogRows = { readonly logs: EvmLog[]; readonly tokenTransfers: EvmTokenTransfer[] }

/** The decoder reads the same fields in every block. */
const kind = createKind('')

/** Returns the rows of the logs of a block from eth_getLogs, equal to those of `readEvmBlock`. Throws `DecodeError`. */
export function readEvmLogs(record: EvmBlockLogs, context: EvmContext): EvmLogRows {
  const logs = readLogRows(record, context)
  return { logs, tokenTransfers: logs.flatMap(tokenTransfers) }
}

/** Returns the logs of a block from eth_getLogs. Throws `DecodeError`. */
export function readLogRows(record: EvmBlockLogs, context: EvmContext): EvmLog[] {
  return readingBlock(record.number, () => rowsOf(record, context))
}

function rowsOf({ block, logs }: EvmBlockLogs, context: EvmContext): EvmLog[] {
  const { hash: blockHash, number, timestamp, timestampMilliseconds } = block
  const header = { hash: blockHash, number, timestamp, timestampMilliseconds }
  const answer = topFields({ ...header, logs }, kind)
  const place = blockPlace(answer, context)
  const own = hash(answer, 'hash')
  const rows: EvmLog[] = []
  const unknown = new Set<string>()
  for (const log of objects(answer, 'logs')) {
    const transactionPlace = {
      ...place,
      transaction_index: count(log, 'transactionIndex'),
      transaction_hash: hash(log, 'transactionHash'),
    }
    rows.push(logRow(log, transactionPlace, checkLog(log, own, transactionPlace, rows.length)))
    for (const path of unknownFields(log)) unknown.add(path)
  }
  for (const path of unknown) context.unknownField?.(path)
  return rows
}
