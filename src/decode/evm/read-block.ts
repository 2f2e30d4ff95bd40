import type { EvmBlockRow } from '../../../schemas/evm-blocks.ts'
import type { EvmLog } from '../../../schemas/evm-logs.ts'
import type { EvmTokenTransfer } from '../../../schemas/evm-token-transfers.ts'
import type { EvmTransaction } from '../../../schemas/evm-transactions.ts'
import { type EvmBlock, ofOtherHeaders } from '../../model.ts'
import { blockPlace, blockRow } from './block-row.ts'
import {
  contradiction,
  createKind,
  type Fields,
  hash,
  int64,
  isText,
  objects,
  topFields,
  unknownFields,
} from './fields.ts'
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
  /**
   * Called once per block for each field that no table holds, such as `transactions[].newField`, and, after `ofOtherHeaders`, for each way in
   * which the block contradicts its header on a chain where that may be right.
   */
  readonly unknownField?: (path: string) => void
}

export type EvmRows = {
  readonly blocks: EvmBlockRow[]
  readonly transactions: EvmTransaction[]
  readonly logs: EvmLog[]
  readonly tokenTransfers: EvmTokenTransfer[]
}

/**
 * Returns the exact rows of a block. Throws `DecodeError` with block and field if a value is invalid, if a receipt is of no transaction of the
 * block, or if indices of transactions, or of the logs of a transaction, do not count up. A transaction without a receipt has a row without the columns of one: some
 * chains list transactions that they never executed. The source finds out whether the node has the receipts.
 */
export function readEvmBlock(record: EvmBlock, context: EvmContext): EvmRows {
  return readingBlock(record.number, context, () => rowsOf(record, context))
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
  const listed = objects(topFields({ receipts: record.receipts }, receiptsKind), 'receipts')
  const receipts = receiptsOf(answer, sent, listed, unknown)

  const transactions: EvmTransaction[] = []
  const logs: EvmLog[] = []
  const transfers: EvmTokenTransfer[] = []
  for (let index = 0; index < sent.length; index++) {
    const transaction = sent[index]!
    const receipt = receipts[index] ?? null
    const transactionHash = hash(transaction, 'hash')
    const here = { ...place, transaction_index: index, transaction_hash: transactionHash }
    checkPosition(transaction, blockHash, here)
    if (receipt === null) {
      transactions.push(transactionRow(transaction, noReceipt, here, null, unknown))
      finish(transaction)
      continue
    }
    checkReceipt(receipt, blockHash, here)
    const written = objects(receipt, 'logs')
    transactions.push(transactionRow(transaction, receipt, here, written.length, unknown))
    let before = -1
    for (const log of written) {
      const logIndex = checkLog(log, blockHash, here, logs.length)
      if (logIndex <= before)
        throw contradiction(log, 'logIndex', `is ${logIndex} after ${before}`, log.object['logIndex'])
      before = logIndex
      const row = logRow(log, here, logIndex)
      logs.push(row)
      for (const each of tokenTransfers(row)) transfers.push(each)
      finish(log)
    }
    finish(transaction)
    finish(receipt)
  }
  const block = blockRow(answer, place, { transactions: sent.length, logs: logs.length }, unknown)
  finish(answer)
  for (const path of unknown) context.unknownField?.(path)
  for (const said of record.contradictions ?? []) context.unknownField?.(`${ofOtherHeaders}${said}`)
  return { blocks: [block], transactions, logs, tokenTransfers: transfers }
}

const noReceipt = topFields({}, createKind(''))

/**
 * The receipt of each transaction; null where there is none. A receipt of the block itself, which Celo had before its L2, is left out: what it
 * says is of no transaction.
 */
function receiptsOf(
  block: Fields,
  sent: readonly Fields[],
  listed: readonly Fields[],
  unknown: Set<string>,
): readonly (Fields | null)[] {
  const isPaired = (at: Fields, index: number) => isText(at, 'transactionHash', String(sent[index]!.object['hash']))
  if (listed.length === sent.length && listed.every(isPaired)) return listed
  if (listed.length === 0 && int64(block, 'gasUsed') > 0)
    throw contradiction(block, 'receipts', `are none, of ${sent.length} transactions that used gas`, [])
  const byHash = new Map(listed.map((receipt) => [hash(receipt, 'transactionHash'), receipt]))
  if (byHash.size !== listed.length) throw contradiction(block, 'receipts', 'are two of one transaction', undefined)
  const found = sent.map((transaction) => {
    const own = hash(transaction, 'hash')
    const receipt = byHash.get(own) ?? null
    byHash.delete(own)
    if (receipt === null) unknown.add('transactions[] without a receipt')
    return receipt
  })
  for (const [of, receipt] of byHash) {
    if (of !== hash(block, 'hash'))
      throw contradiction(receipt, 'transactionHash', 'is of no transaction of the block', of)
    unknown.add('receipts[] of no transaction')
  }
  return found
}
