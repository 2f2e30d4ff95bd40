import type { EvmLog } from '../../../schemas/evm-logs.ts'
import type { EvmTokenTransfer } from '../../../schemas/evm-token-transfers.ts'
import type { EvmBlockLogs } from '../../model.ts'
import { blockPlace } from './block-row.ts'
import {
  contradiction,
  count,
  createKind,
  type Fields,
  hash,
  objects,
  optionalHash,
  topFields,
  unknownFields,
} from './fields.ts'
import { logRow } from './log-row.ts'
import type { EvmContext } from './read-block.ts'
import { readingBlock } from './reading-block.ts'
import { checkLog } from './same-block.ts'
import { tokenTransfers } from './token-transfers.ts'

type EvmLogRows = { readonly logs: EvmLog[]; readonly tokenTransfers: EvmTokenTransfer[] }

/** The decoder reads the same fields in every block. */
const kind = createKind('')

/** Returns the rows of the logs of a block from eth_getLogs, equal to those of `readEvmBlock`. Throws `DecodeError`. */
export function readEvmLogs(record: EvmBlockLogs, context: EvmContext): EvmLogRows {
  const logs = readLogRows(record, context)
  return { logs, tokenTransfers: logs.flatMap(tokenTransfers) }
}

/**
 * Returns the logs of the transactions of a block from eth_getLogs. Throws `DecodeError`. Logs that a block has outside of its transactions are
 * left out, as they are in no receipt: all pipelines have the same logs.
 */
export function readLogRows(record: EvmBlockLogs, context: EvmContext): EvmLog[] {
  return readingBlock(record.number, context, () => rowsOf(record, context))
}

function rowsOf({ block, logs }: EvmBlockLogs, context: EvmContext): EvmLog[] {
  const { hash: blockHash, number, timestamp, timestampMilliseconds } = block
  const header = { hash: blockHash, number, timestamp, timestampMilliseconds }
  const answer = topFields({ ...header, logs }, kind)
  const place = blockPlace(answer, context)
  const own = hash(answer, 'hash')
  const rows: EvmLog[] = []
  const unknown = new Set<string>()
  const listed = transactionsOf(block)
  for (const log of objects(answer, 'logs')) {
    if (isOfNoTransaction(log, own, listed)) {
      unknown.add('logs[] of no transaction')
      continue
    }
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

/** The hashes of the transactions that a block lists; null if the answer has no list. */
function transactionsOf({ transactions }: EvmBlockLogs['block']): ReadonlySet<string> | null {
  return Array.isArray(transactions)
    ? new Set(transactions.map((each) => String(each?.hash ?? each).toLowerCase()))
    : null
}

const zeros = `0x${'0'.repeat(64)}`

/** Whether a log belongs to the block itself. Its hash is that of the block, of no transaction, or absent, and its index is after theirs. */
function isOfNoTransaction(log: Fields, blockHash: string, listed: ReadonlySet<string> | null): boolean {
  const of = optionalHash(log, 'transactionHash')
  if (of === null || of === blockHash || of === zeros) return true
  if (listed === null || listed.has(of)) return false
  if (listed.size > 0 && count(log, 'transactionIndex') >= listed.size) return true
  throw contradiction(log, 'transactionHash', 'is of no transaction of the block', of)
}
