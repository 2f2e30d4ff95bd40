import { decodingOf } from '../../../codec/errors.ts'
import { headerShape } from '../../../codec/evm/block-parts.ts'
import { timeOfTimestamp } from '../../../codec/evm/header.ts'
import {
  type EvmLog,
  evmBlocks,
  evmLogs,
  type evmTokenTransfers,
  evmTransactions,
} from '../../../schemas/evm-blocks.ts'
import type { RowOf } from '../../define/index.ts'
import { aboutBlocks, type EvmBlock, type EvmBlockLogs } from '../../model.ts'
import { finish, ignore, type Reading } from '../json/fields.ts'
import { partsReader } from '../list-reader.ts'
import { decimalOrNull, lowerHex, timeOfMilliseconds } from '../values.ts'
import {
  address,
  contradiction,
  count,
  hash,
  hexShape,
  int64,
  objects,
  optionalAddress,
  optionalBoolean,
  optionalBytes,
  optionalHash,
  optionalHashes,
  optionalInt64,
  optionalObject,
  optionalObjects,
  optionalQuantityText,
  optionalU64,
  optionalU256,
  topFields,
  u64,
  wrongField,
} from './hex-fields.ts'
import { tokenTransfers } from './token-transfers.ts'

type EvmTokenTransfer = RowOf<typeof evmTokenTransfers>

type EvmTransaction = RowOf<typeof evmTransactions>

export type EvmContext = {
  /** Value of the column `network`. */
  readonly network: string
  /** Value of the column `chain_id`: the chain id in decimal digits. */
  readonly chainId: string
  /**
   * Called once per block for each field that no table holds, such as `transactions[].newField`, and, after `aboutBlocks`, for each way in
   * which the block is not like those of most chains.
   */
  readonly unknownField?: (path: string) => void
}

/** The first columns of every row of a block. */
export type EvmPlace = {
  readonly network: string
  readonly chain_id: string
  readonly block_number: number
  readonly block_time: bigint | null
}

export type EvmTransactionPlace = EvmPlace & {
  readonly transaction_index: number
  readonly transaction_hash: string
}

/** Runs a decoder of a block. Adds block and chain to a `DecodeError`. */
export function readingBlock<T>(number: number, { chainId }: { readonly chainId: string }, read: () => T): T {
  return decodingOf(read, () => [
    `EVM block ${number} of chain ${chainId}`,
    { block_number: number, chain_id: chainId },
  ])
}

export function blockPlace(block: Reading, chain: { network: string; chainId: string }): EvmPlace {
  const seconds = u64(block, 'timestamp')
  const milliseconds = optionalU64(block, 'timestampMilliseconds')
  if (milliseconds !== null && milliseconds / 1000n !== seconds)
    throw contradiction(
      block,
      'timestampMilliseconds',
      `is not of the second ${seconds} that timestamp states`,
      milliseconds,
    )
  return {
    network: chain.network,
    chain_id: chain.chainId,
    block_number: count(block, 'number'),
    block_time: milliseconds === null ? timeOfTimestamp(seconds) : timeOfMilliseconds(milliseconds),
  }
}

/**
 * The place of a transaction in its block. Here and below, the columns of places are named and not spread: V8 adds each column of a spread to
 * others by a call of its own, which took a fiftieth of the time of the main thread.
 */
function placeIn(block: EvmPlace, transaction_index: number, transaction_hash: string): EvmTransactionPlace {
  const { network, chain_id, block_number, block_time } = block
  return { network, chain_id, block_number, block_time, transaction_index, transaction_hash }
}

type EvmRows = {
  readonly blocks: RowOf<typeof evmBlocks>[]
  readonly transactions: EvmTransaction[]
  readonly logs: EvmLog[]
  readonly tokenTransfers: EvmTokenTransfer[]
}

/**
 * The decoder reads the same fields in every block. Each of the answers has its own shape, so that paths of errors name the answer. Fields
 * that are ignored repeat others: the row takes their values from the transaction, the block, or the receipt.
 */
const [blockShape, receiptsShape, logsShape] = [hexShape(), hexShape(), hexShape()]
const [receiptShape, logShape] = [hexShape(), hexShape()]
export const transactionShape = hexShape()

const readBlock = partsReader<RowOf<typeof evmBlocks>>(evmBlocks.columns, blockShape, {
  // Its value depends on the version of the node, for old blocks too: since Helicon it is 0, and go-ethereum leaves it out.
  ignore: ['totalDifficulty', 'author', 'number', 'transactions'],
})

const readTransaction = partsReader<EvmTransaction>(evmTransactions.columns, hexShape(), {
  parts: { transaction: transactionShape, receipt: receiptShape },
  ignore: [
    ...['type', 'hash', 'data', 'signature', 'creates', 'blockTimestamp'].map((name) => `transaction.${name}`),
    ...['blockHash', 'blockNumber', 'transactionIndex'].flatMap((name) => [`transaction.${name}`, `receipt.${name}`]),
    ...['transactionHash', 'from', 'to', 'type', 'blockTimestamp', 'root', 'depositNonce', 'logs'].map(
      (name) => `receipt.${name}`,
    ),
  ],
  readers: {
    access_list: (_, at) => optionalObjects(at, 'accessList')?.map(accessListEntry) ?? null,
    authorization_list: (_, at) => optionalObjects(at, 'authorizationList')?.map(authorization) ?? null,
  },
})

const [topic0, topic1, topic2, topic3] = [topicAt(0), topicAt(1), topicAt(2), topicAt(3)]

const readLog = partsReader<EvmLog>(evmLogs.columns, logShape, {
  readers: { topic0, topic1, topic2, topic3 },
  // Some nodes add the time of the block to each log.
  ignore: ['blockHash', 'blockNumber', 'transactionHash', 'transactionIndex', 'logIndex', 'removed', 'blockTimestamp'],
})

/**
 * Returns the exact rows of a block. Throws `DecodeError` with block and field if a value is invalid, if a receipt is of no transaction of the
 * block, or if indices of transactions, or of the logs of a transaction, do not count up. A transaction without a receipt has a row without the
 * columns of one: some chains list transactions that the block did not execute. The source finds out whether the node has the receipts.
 */
export function readEvmBlock(record: EvmBlock, context: EvmContext): EvmRows {
  return readingBlock(record.number, context, () => rowsOf(record, context))
}

function rowsOf(record: EvmBlock, context: EvmContext): EvmRows {
  const unknown = new Set<string>()
  const add = (path: string): void => {
    unknown.add(path)
  }
  const answer = topFields(record.block, blockShape, add)
  const place = blockPlace(answer, context)
  const blockHash = hash(answer, 'hash')
  const sent = objects(answer, 'transactions', transactionShape)
  const listed = objects(topFields({ receipts: record.receipts }, receiptsShape, add), 'receipts', receiptShape)
  const receipts = receiptsOf(answer, sent, listed, unknown)
  const indices = indicesOf(answer, sent, add)

  const transactions: EvmTransaction[] = []
  const logs: EvmLog[] = []
  const transfers: EvmTokenTransfer[] = []
  for (let position = 0; position < sent.length; position++) {
    const transaction = sent[position]!
    const receipt = receipts[position] ?? null
    const here = placeIn(place, indices[position]!, hash(transaction, 'hash'))
    checkBlock(transaction, blockHash, here)
    if (receipt === null) {
      transactions.push(transactionRow(transaction, null, here, null))
      finish(transaction)
      continue
    }
    checkBlock(receipt, blockHash, here)
    checkTransaction(receipt, here)
    const written = objects(receipt, 'logs', logShape)
    transactions.push(transactionRow(transaction, receipt, here, written.length))
    addLogs(written, here, { blockHash, logs, transfers }, add)
    finish(transaction)
    finish(receipt)
  }
  const counts = { transaction_count: sent.length, log_count: logs.length }
  const block = readBlock(answer, { ...counts, ...place })
  // Clients that descend from Parity also write, or only write, the author.
  const author = optionalAddress(answer, 'author')
  block.miner ??= author
  finish(answer)
  for (const path of unknown) context.unknownField?.(path)
  for (const said of record.remarks ?? []) context.unknownField?.(`${aboutBlocks}${said}`)
  return { blocks: [block], transactions, logs, tokenTransfers: transfers }
}

/** Appends the rows of the logs of a receipt. */
function addLogs(
  written: readonly Reading[],
  here: EvmTransactionPlace,
  block: { readonly blockHash: string; readonly logs: EvmLog[]; readonly transfers: EvmTokenTransfer[] },
  add: (path: string) => void,
): void {
  const { blockHash, logs, transfers } = block
  let before = -1
  for (const log of written) {
    const logIndex = checkLog(log, blockHash, here, logs.length)
    if (logIndex <= before)
      throw contradiction(log, 'logIndex', `is ${logIndex} after ${before}`, log.object['logIndex'])
    before = logIndex
    if (logIndex !== logs.length) add(`${aboutBlocks}${otherLogIndex}`)
    const row = logRow(log, here, logIndex)
    logs.push(row)
    for (const each of tokenTransfers(row)) transfers.push(each)
  }
}

/** Some chains count within the transaction. Erigon 3.0 did so for some blocks of Gnosis and Polygon, which count within the block. */
const otherLogIndex = 'logIndex is not the position of the log in the block, and is kept as the node states it'

/**
 * The indices of the transactions of a block, as the chain states them: nearly always their positions. A chain that hides some of its
 * transactions, such as Hedera, leaves numbers out. Where the hash of a block derives from its header, the root of transactions in the header
 * is of transactions without gaps.
 */
export function indicesOf(block: Reading, sent: readonly Reading[], add: (path: string) => void): number[] {
  let before = -1
  let isProven: boolean | undefined
  return sent.map((transaction, position) => {
    const stated = transaction.object['transactionIndex']
    const index = stated === quantityOf(position) ? position : count(transaction, 'transactionIndex')
    if (index !== position) {
      isProven ??= headerShape(block.object) !== null
      add(`${aboutBlocks}transactionIndex leaves out numbers, and nothing proves that no transaction is missing`)
    }
    if (index <= before || isProven === true) {
      const other = index <= before ? `after ${before}` : `and not ${position}`
      throw contradiction(transaction, 'transactionIndex', `is ${index} ${other}`, stated)
    }
    before = index
    return index
  })
}

/**
 * The receipt of each transaction; null where there is none. A receipt of the block itself, which Celo had before its L2, is left out: what it
 * says is of no transaction. Hedera may list a transaction twice, and the receipt names the one that was executed.
 */
function receiptsOf(
  block: Reading,
  sent: readonly Reading[],
  listed: readonly Reading[],
  unknown: Set<string>,
): readonly (Reading | null)[] {
  const isPaired = (at: Reading, index: number) => at.object['transactionHash'] === sent[index]!.object['hash']
  if (listed.length === sent.length && listed.every(isPaired)) return listed
  if (listed.length === 0 && int64(block, 'gasUsed') > 0)
    throw contradiction(block, 'receipts', `are none, of ${sent.length} transactions that used gas`, [])
  const hashes = sent.map((transaction) => hash(transaction, 'hash'))
  const isTwice = new Set(hashes).size < hashes.length
  const keyOf = (at: Reading, own: string) => (isTwice ? `${own} ${count(at, 'transactionIndex')}` : own)
  const byKey = new Map(listed.map((receipt) => [keyOf(receipt, hash(receipt, 'transactionHash')), receipt]))
  if (byKey.size !== listed.length) throw contradiction(block, 'receipts', 'are two of one transaction', undefined)
  const found = sent.map((transaction, position) => {
    const own = keyOf(transaction, hashes[position]!)
    const receipt = byKey.get(own) ?? null
    byKey.delete(own)
    if (receipt === null) unknown.add('transactions[] without a receipt')
    return receipt
  })
  for (const receipt of byKey.values()) {
    const of = hash(receipt, 'transactionHash')
    if (of !== hash(block, 'hash'))
      throw contradiction(receipt, 'transactionHash', 'is of no transaction of the block', of)
    unknown.add('receipts[] of no transaction')
  }
  return found
}

/** Returns the row of a transaction and its receipt. `logCount` is the number of logs in the receipt. */
export function transactionRow(
  transaction: Reading,
  receipt: Reading | null,
  place: EvmTransactionPlace,
  logCount: number | null,
): EvmTransaction {
  const { network, chain_id, block_number, block_time, transaction_index, transaction_hash } = place
  const row = readTransaction(
    { object: { transaction, receipt } },
    {
      network,
      chain_id,
      block_number,
      block_time,
      transaction_index,
      transaction_hash,
      // Nodes from before Berlin state no type, because only one type existed.
      transaction_type: optionalInt64(transaction, 'type') ?? 0,
      receipt_root: null,
      log_count: logCount,
    },
  )
  const { data, signature } = transaction.object
  if (data !== undefined) {
    const bytes = optionalBytes(transaction, 'data')
    row.input ??= bytes
  }
  if (signature !== undefined && signature !== null) addSignature(row, transaction, signature)
  if (receipt === null) return row
  const { root, depositNonce } = receipt.object
  if (depositNonce !== undefined) {
    const nonce = optionalU64(receipt, 'depositNonce')
    row.nonce ??= nonce
  }
  // Chains such as Rootstock write the status in the place of the root, as receipts are hashed.
  if (typeof root !== 'string' || root.length > textOfStatus) row.receipt_root = optionalHash(receipt, 'root')
  else row.status ??= optionalInt64(receipt, 'root')
  // Some chains write zeros there, or repeat the called contract.
  const { contract_address, to_address } = row
  if (contract_address === zeroAddress || (to_address !== null && to_address !== zkDeployer))
    row.contract_address = null
  return row
}

/** The longest text of a status: 0x and two digits. */
const textOfStatus = 4
const zeroAddress = `0x${'0'.repeat(40)}`
/** The contract that creates all others on chains of the ZK stack: there a creation is a call of it. */
const zkDeployer = '0x0000000000000000000000000000000000008006'

/** Transactions of Tempo have the signature in an object. Not each kind of signature has the same fields. */
function addSignature(row: EvmTransaction, transaction: Reading, signature: unknown): void {
  if (typeof signature !== 'object') {
    transaction.context.unknownField('transactions[].signature')
    return
  }
  const signed = optionalObject(transaction, 'signature')!
  row.y_parity ??= parityOf(signed)
  row.v ??= decimalOrNull(optionalU256(signed, 'v'))
  row.r ??= optionalQuantityText(signed, 'r')
  row.s ??= optionalQuantityText(signed, 's')
  finish(signed)
}

function accessListEntry(at: Reading): NonNullable<EvmTransaction['access_list']>[number] {
  ignore(at, 'storage_keys')
  const keys = optionalHashes(at, 'storageKeys') ?? optionalHashes(at, 'storage_keys')
  const row = { address: address(at, 'address'), storage_keys: keys ?? [] }
  finish(at)
  return row
}

/** Chains of Frontier, such as Moonbeam, write the signature as an object. */
function authorization(at: Reading): NonNullable<EvmTransaction['authorization_list']>[number] {
  ignore(at, 'chain_id', 'r', 's')
  const signed = optionalObject(at, 'signature')
  const row = {
    signed_chain_id: decimalOrNull(optionalU256(at, 'chainId') ?? optionalU256(at, 'chain_id')),
    address: address(at, 'address'),
    nonce: u64(at, 'nonce'),
    y_parity: parityOf(signed ?? at),
    r: optionalQuantityText(signed ?? at, 'r'),
    s: optionalQuantityText(signed ?? at, 's'),
  }
  finish(at)
  if (signed !== null) finish(signed)
  return row
}

const parityNames = ['yParity', 'y_parity', 'odd_y_parity', 'v'] as const

/** The parity of a signature, which nodes write under different names, as a number or as a Boolean; v may be 27 or 28. */
function parityOf(at: Reading): number | bigint | null {
  const [stated, other, odd, v] = parityNames.map((name) => parityIn(at, name))
  return stated ?? other ?? odd ?? (v === 27 || v === 28 ? v - 27 : (v ?? null))
}

function parityIn(at: Reading, name: string): number | bigint | null {
  const value = at.object[name]
  return typeof value === 'boolean' ? Number(optionalBoolean(at, name)) : optionalInt64(at, name)
}

function logRow(log: Reading, place: EvmTransactionPlace, logIndex: number): EvmLog {
  if (log.object['topics'] === undefined) throw wrongField(log, 'topics', 'is missing', undefined)
  const { network, chain_id, block_number, block_time, transaction_index, transaction_hash } = place
  const row = readLog(log, {
    network,
    chain_id,
    block_number,
    block_time,
    transaction_index,
    transaction_hash,
    log_index: logIndex,
  })
  finish(log)
  return row
}

/** A topic of a log; null where the log has fewer. The first one checks how many there are. */
function topicAt(position: number) {
  return (topics: unknown, at: Reading): string | null => {
    if (position === 0) checkTopics(topics, at)
    const topic = (topics as readonly unknown[])[position]
    if (topic === undefined) return null
    const found = lowerHex(topic, 64)
    if (found === null) throw wrongField(at, `topics[${position}]`, 'is no hash of 32 bytes', topic)
    return found
  }
}

function checkTopics(topics: unknown, at: Reading): void {
  if (!Array.isArray(topics)) throw wrongField(at, 'topics', topics === '' ? 'is missing' : 'is no list', topics)
  if (topics.length > 4) throw wrongField(at, 'topics', 'has more than four texts', topics)
}

/**
 * Returns the rows of the logs of a block from eth_getLogs, equal to those of `readEvmBlock`. Throws `DecodeError`.
 */
export function readEvmLogs(
  record: EvmBlockLogs,
  context: EvmContext,
): { readonly logs: EvmLog[]; readonly tokenTransfers: EvmTokenTransfer[] } {
  const logs = readLogRows(record, context)
  return { logs, tokenTransfers: logs.flatMap(tokenTransfers) }
}

/**
 * Returns the logs of the transactions of a block from eth_getLogs. Throws `DecodeError`. Logs of the block itself, which name the block as
 * their transaction, are left out, as they are in no receipt: all pipelines have the same logs.
 */
export function readLogRows(record: EvmBlockLogs, context: EvmContext): EvmLog[] {
  return readingBlock(record.number, context, () => logRowsOf(record, context))
}

function logRowsOf({ block, logs, remarks = [] }: EvmBlockLogs, context: EvmContext): EvmLog[] {
  const { hash: blockHash, number, timestamp, timestampMilliseconds } = block
  const header = { hash: blockHash, number, timestamp, timestampMilliseconds }
  const unknown = new Set<string>()
  const answer = topFields({ ...header, logs }, logsShape, (path) => unknown.add(path))
  const place = blockPlace(answer, context)
  const own = hash(answer, 'hash')
  const rows: EvmLog[] = []
  for (const log of objects(answer, 'logs', logShape)) {
    const of = hash(log, 'transactionHash')
    if (of === own) {
      unknown.add('logs[] of no transaction')
      continue
    }
    const here = placeIn(place, count(log, 'transactionIndex'), of)
    rows.push(logRow(log, here, checkLog(log, own, here, rows.length)))
  }
  for (const path of unknown) context.unknownField?.(path)
  for (const said of remarks) context.unknownField?.(`${aboutBlocks}${said}`)
  return rows
}

/**
 * Checks that a log belongs to the transaction of its receipt: answers to several requests may describe different blocks, after a fork or
 * from two nodes behind one URL. Returns its index: nearly always `usual`, its position in the block. Some chains
 * count logs within the transaction, and some leave gaps.
 */
function checkLog(log: Reading, blockHash: string, place: EvmTransactionPlace, usual: number): number {
  checkBlock(log, blockHash, place)
  checkTransaction(log, place)
  const { removed, logIndex } = log.object
  if ((removed ?? false) !== false)
    throw contradiction(log, 'removed', 'is not false: the block is no part of the chain', removed)
  return logIndex === quantityOf(usual) ? usual : count(log, 'logIndex')
}

/** Checks the transaction that a receipt or a log states. Each fast path reads a field where its name is known, which costs much less. */
function checkTransaction(at: Reading, place: EvmTransactionPlace): void {
  if (at.object['transactionHash'] !== place.transaction_hash) checkText(at, 'transactionHash', place.transaction_hash)
  if (at.object['transactionIndex'] !== quantityOf(place.transaction_index))
    checkNumber(at, 'transactionIndex', place.transaction_index)
}

function checkBlock(at: Reading, blockHash: string, { block_number }: EvmPlace): void {
  if (at.object['blockHash'] !== blockHash) checkText(at, 'blockHash', blockHash)
  if (at.object['blockNumber'] !== quantityOf(block_number)) checkNumber(at, 'blockNumber', block_number)
}

function checkText(at: Reading, name: string, expected: string): void {
  const found = hash(at, name)
  if (found !== expected) throw contradiction(at, name, `is not ${expected}`, found)
}

function checkNumber(at: Reading, name: string, expected: number): void {
  const found = count(at, name)
  if (found !== expected) throw contradiction(at, name, `is ${found} and not ${expected}`, at.object[name])
}

const positions = Array.from({ length: 1024 }, (_, position) => `0x${position.toString(16)}`)
/** The last block number as text. All objects in a block state it. */
let last = { number: -1, text: '' }

/** Returns a number as nodes write it. */
function quantityOf(number: number): string {
  const position = positions[number]
  if (position !== undefined) return position
  if (last.number !== number) last = { number, text: `0x${number.toString(16)}` }
  return last.text
}
