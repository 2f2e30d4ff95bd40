import type { EvmBlockRow } from '../../../schemas/evm-blocks.ts'
import type { EvmLog } from '../../../schemas/evm-logs.ts'
import type { EvmTokenTransfer } from '../../../schemas/evm-token-transfers.ts'
import type { EvmTransaction } from '../../../schemas/evm-transactions.ts'
import type { EvmBlock } from '../../model.ts'
import { blockPlace, blockRow } from './block-row.ts'
import { createKind, type Fields, hash, objects, topFields, unknownFields, wrongField } from './fields.ts'
import { logRow } from './log-row.ts'
import { readingBlock } from './reading-block.ts'
import { checkLog, checkPosition, checkReceipt } from './same-block.ts'
import { tokenTransfers } from './token-transfers.ts'
import { transactionRow } from './transaction-row.ts'

export type EvmContext = {
  /** Value of the column `network`. */
  readonly network: string
  /** Value of the column `chain_id`: the chain id in decimal digits. */
  readonly chainId: string
  /** Called once per block for each field that no table holds, such as `transactions[].newField`. */
  readonly unknownField?: (path: string) => void
}

export type EvmRows = {
  readonly blocks: EvmBlockRow[]
  readonly transactions: EvmTransaction[]
  readonly logs: EvmLog[]
  readonly tokenTransfers: EvmTokenTransfer[]
}

/**
 * Returns the exact rows of a block. Throws `DecodeError` with block and field if a value is invalid, if the receipts do not match the
 * transactions one by one, or if indices of transactions, or of the logs of a transaction, do not count up.
 */
export function readEvmBlock(record: EvmBlock, context: EvmContext): EvmRows {
  return readingBlock(record.number, () => rowsOf(record, context))
}

/** The decoder reads the same fields in every block. Each of the two answers has its own kind, so that paths of errors name the answer. */
const blockKind = createKind('')
const receiptsKind = createKind('')

function rowsOf(record: EvmBlock, context: EvmContext): EvmRows {
  const answer = topFields(record.block, blockKind)
  const unknown = new Set<string>()
  const finish = (at: Fields) => {
    for (const path of unknownFields(at)) unknown.add(path)
  }
  const place = blockPlace(answer, context)
  const blockHash = hash(answer, 'hash')
  const sent = objects(answer, 'transactions')
  const receipts = objects(topFields({ receipts: record.receipts }, receiptsKind), 'receipts')
  if (receipts.length !== sent.length)
    throw wrongField(answer, 'receipts', `are ${receipts.length}, of ${sent.length} transactions`, undefined)

  const transactions: EvmTransaction[] = []
  const logs: EvmLog[] = []
  const transfers: EvmTokenTransfer[] = []
  for (let index = 0; index < sent.length; index++) {
    const transaction = sent[index]!
    const receipt = receipts[index]!
    const transactionHash = hash(transaction, 'hash')
    const here = { ...place, transaction_index: index, transaction_hash: transactionHash }
    checkPosition(transaction, blockHash, here)
    checkReceipt(receipt, blockHash, here)
    const written = objects(receipt, 'logs')
    transactions.push(transactionRow(transaction, receipt, here, written.length))
    let before = -1
    for (const log of written) {
      const logIndex = checkLog(log, blockHash, here, logs.length)
      if (logIndex <= before)
        throw wrongField(log, 'logIndex', `is ${logIndex} after ${before}`, log.object['logIndex'])
      before = logIndex
      const row = logRow(log, here, logIndex)
      logs.push(row)
      for (const each of tokenTransfers(row)) transfers.push(each)
      finish(log)
    }
    finish(transaction)
    finish(receipt)
  }
  const block = blockRow(answer, place, sent.length, logs.length)
  finish(answer)
  for (const path of unknown) context.unknownField?.(path)
  return { blocks: [block], transactions, logs, tokenTransfers: transfers }
}
