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
  return readingBlock(record.number, () => rowsOf(record, context))
}

function rowsOf({ block, logs }: EvmBlockLogs, context: EvmContext): EvmLogRows {
  const { hash: blockHash, number, timestamp, timestampMilliseconds } = block
  const header = { hash: blockHash, number, timestamp, timestampMilliseconds }
  const answer = topFields({ ...header, logs }, kind)
  const place = blockPlace(answer, context)
  const own = hash(answer, 'hash')
  const rows: EvmLogRows = { logs: [], tokenTransfers: [] }
  const unknown = new Set<string>()
  for (const log of objects(answer, 'logs')) {
    const transactionPlace = {
      ...place,
      transaction_index: count(log, 'transactionIndex'),
      transaction_hash: hash(log, 'transactionHash'),
    }
    const index = count(log, 'logIndex')
    checkLog(log, own, transactionPlace, index)
    const row = logRow(log, transactionPlace, index)
    rows.logs.push(row)
    for (const each of tokenTransfers(row)) rows.tokenTransfers.push(each)
    for (const path of unknownFields(log)) unknown.add(path)
  }
  for (const path of unknown) context.unknownField?.(path)
  return rows
}
