import {
  headerHash as hashOfHeader,
  headerNames,
  headerShape,
  listRoot,
  type Named,
  ownOf,
  type ReceiptLog,
  receiptBytes,
  transactionBytes,
} from '../../codec/evm/block-parts.ts'
import { createdAddress } from '../../codec/evm/state-diffs.ts'
import { bloomOf } from '../../codec/keccak.ts'
import { encode } from '../../codec/linear.ts'
import { rlpBytes } from '../../codec/rlp.ts'
import { evmBlocks, evmLogs, evmTransactions } from '../../schemas/evm-blocks.ts'
import { keccakText } from '../decode/evm/state.ts'
import type { Table } from '../define/index.ts'
import { getOrCreate, groupBy } from '../lib/arrays.ts'
import { countText } from '../lib/text.ts'
import { withColumns } from '../lookup/engine.ts'
import { words } from './checks.ts'
import { type Checked, covers, findingOfRow, isCChainIn, type LakeRows, mostFindings, type Row } from './lake.ts'
import type { Finding, Remark } from './report.ts'
import { type ChainBlocks, fromBlocks, windowsOf } from './streams.ts'

/** A block of the lake with its rows in order. `block` is null without the table of blocks, `logs` without that of logs. */
type StoredBlock = {
  readonly block: Row | null
  readonly transactions: readonly Row[]
  readonly logs: readonly Row[] | null
}

/**
 * Checks the rows of whole EVM blocks against each other. Where the encoding of a chain is known, the hash of each block is derived again
 * from its header, and the roots of transactions and of receipts from the rows. Otherwise the Bloom filters of receipts are derived from
 * the logs, and the sums of gas are compared.
 */
export async function verifyEvmBlocks(rows: LakeRows): Promise<Checked> {
  const checks = createBlockChecks(rows.inventory)
  const table = rows.filesOf(evmBlocks).length > 0 ? evmBlocks : evmTransactions
  const others = [evmTransactions, evmLogs].filter((other) => other !== table && covers(rows.inventory, other))
  for await (const window of windowsOf(rows, table, others)) {
    for await (const stored of storedBlocks(rows, window, others.includes(evmLogs))) checks.add(stored)
    if (checks.isFull()) break
  }
  return checks.checked()
}

/** The blocks of a window in order. In memory are the rows of two blocks, and those that DuckDB gives at a time. */
async function* storedBlocks(rows: LakeRows, window: ChainBlocks, hasLogs: boolean): AsyncGenerator<StoredBlock> {
  const read = [
    rowsByBlock(rows, evmBlocks, window, 'block_number'),
    rowsByBlock(rows, evmTransactions, window, 'block_number, transaction_index'),
    ...(hasLogs ? [rowsByBlock(rows, evmLogs, window, 'block_number, log_index')] : []),
  ]
  /** The rows of the next block of each table; none after its last block. */
  const next: Row[][] = []
  const advance = async (at: number): Promise<void> => {
    next[at] = (await read[at]!.next()).value ?? []
  }
  const least = (): number => Math.min(...next.map(blockNumber))
  try {
    for (const at of read.keys()) await advance(at)
    for (let number = least(); number < Number.POSITIVE_INFINITY; number = least()) {
      const [blocks, transactions, logs] = next.map((each) => (blockNumber(each) === number ? each : []))
      const block = blocks![0] ?? null
      // Logs of blocks that the other tables do not have are left out.
      if (block !== null || transactions!.length > 0) yield { block, transactions: transactions!, logs: logs ?? null }
      for (const at of read.keys()) if (blockNumber(next[at]!) === number) await advance(at)
    }
  } finally {
    for (const each of read) await each.return(undefined)
  }
}

function blockNumber([first]: readonly Row[]): number {
  return first === undefined ? Number.POSITIVE_INFINITY : Number(first['block_number'])
}

/** The rows of one block at a time, in the order of the numbers of blocks. */
async function* rowsByBlock(rows: LakeRows, table: Table, window: ChainBlocks, order: string): AsyncGenerator<Row[]> {
  const query = `${await fromBlocks(rows, table, window)} ORDER BY ${order}`
  let found: Row[] = []
  for await (const some of rows.engine.tableRows(withColumnsRead(table), query))
    for (const row of some as Row[]) {
      if (found.length > 0 && row['block_number'] !== found[0]!['block_number']) {
        yield found
        found = []
      }
      found.push(row)
    }
  if (found.length > 0) yield found
}

/** A rule that blocks of a chain satisfy, unless the chain has other rules. */
type Rule = {
  /** Blocks that satisfy it and have something that it is about. */
  kept: number
  /** Blocks that break it and about which nothing is certain yet: how many, and the first findings. */
  broken: number
  held: Finding[]
  /** Takes what is certain. */
  readonly findings: Finding[]
}

/** What is known about a chain so far. */
type Chain = ReturnType<typeof newChain>

/**
 * A block that breaks a rule is wrong if it is certain that the chain has the rule: the blocks around it keep it (`between`), or any
 * other block of the chain does (`anywhere`). `between` is for rules that a fork of the chain may change.
 */
function keeps(rule: Rule, evidence: 'between' | 'anywhere'): void {
  if (evidence === 'anywhere' || rule.kept > 0) {
    rule.findings.push(...rule.held)
    rule.broken = 0
  }
  rule.held = []
  rule.kept += 1
}

function breaks(rule: Rule, isCertain: boolean, made: readonly Finding[]): void {
  if (isCertain) rule.findings.push(...made)
  else {
    rule.broken += 1
    if (rule.held.length < mostFindings) rule.held.push(...made)
  }
}

/** A block with what its checks share. */
function examine(inventory: Pick<LakeRows['inventory'], 'networks'>, stored: StoredBlock, chain: Chain) {
  const at = stored.block ?? stored.transactions[0]!
  // Null for a header in no known shape, and without the header.
  const shape = stored.block === null ? null : headerShape(named(stored.block, ofHeader))
  // The rules of the C-Chain are known.
  const isC = isCChainIn(inventory, at['network'], at['chain_id']) || shape === 'coreth'
  const logs = groupBy(stored.logs ?? [], (log) => Number(log['transaction_index']))
  const logsOf = (row: Row): readonly Row[] => logs.get(Number(row['transaction_index'])) ?? []
  const finding = (table: Table, row: Row, rest: Parameters<typeof findingOfRow>[4]): Finding =>
    findingOfRow({ inventory }, 'rows.value', table, row, rest)
  const own = ownTransactions(stored.transactions, { shape, root: stored.block?.['transactions_root'] })
  return { ...stored, chain, isC, shape, own, logsOf, finding }
}

type Examined = ReturnType<typeof examine>

/** Whether the hash of the block derives from its header. */
function checkHeader({ block, chain, isC, shape, finding }: Examined): boolean {
  if (shape !== null) keeps(chain.rules.header, 'between')
  // A proof of each row compares the hashes of the C-Chain. Block 0 may have a header of its own.
  else if (block !== null && !isC && Number(block['block_number']) > 0)
    breaks(chain.rules.header, false, [
      finding(evmBlocks, block, {
        message: 'The hash of a block does not derive from its header, although those of blocks around it do.',
        columns: ['block_hash'],
        found: block['block_hash'],
      }),
    ])
  return shape !== null
}

/** Whether a root in the header follows from the rows. `unknown`: why nothing can be said if it does not; null if something can. */
function checkRoot(
  { chain, isC, own }: Examined,
  rule: Rule,
  [root, stated]: readonly [derived: string | null, stated: string],
  unknown: string | null,
  wrong: () => Finding,
): boolean {
  if (root === stated && own.rows.length > 0) keeps(rule, 'anywhere')
  else if (root !== stated && unknown !== null) underived(chain, unknown)
  else if (root !== stated) breaks(rule, isC || rule.kept > 0, [wrong()])
  return root === stated
}

function checkTransactions(examined: Examined): boolean {
  const { block, chain, own, transactions, finding } = examined
  const stated = block!['transactions_root']
  return checkRoot(examined, chain.rules.transactions, [listRoot(own.bytes), stated], own.unknown, () =>
    finding(evmBlocks, block!, {
      message: 'The root of transactions in the header of a block does not follow from its transactions.',
      otherTable: evmTransactions.name,
      columns: ['transactions_root'],
      expected: listRoot(transactions.map((row) => transactionBytes(named(row, ofTransaction)))) ?? 'another root',
      found: stated,
    }),
  )
}

function checkReceipts(examined: Examined): boolean {
  const { block, logs, chain, own, logsOf, finding } = examined
  if (logs === null) return false
  if (isStated(block!, 'settled_height')) {
    underived(chain, 'since Helicon they state the root of receipts of the blocks that they settle')
    return false
  }
  const root = listRoot(own.rows.map((row) => bytesOfReceipt(row, logsOf(row))))
  const stated = block!['receipts_root']
  return checkRoot(examined, chain.rules.receipts, [root, stated], whyUnknown(block!, root), () =>
    finding(evmTransactions, own.rows[0] ?? block!, {
      message:
        'The root of receipts in the header of a block does not follow from its receipts: a status, the gas or a log of the block is wrong.',
      otherTable: evmBlocks.name,
      columns: ['status', 'receipt_root', 'cumulative_gas_used', 'logs_bloom'],
      expected: stated,
      found: root!,
    }),
  )
}

function checkBlooms({ transactions, logs, chain, isC, shape, logsOf, finding }: Examined): void {
  if (logs === null) return
  const hasWrong = (row: Row) => hasBloom(row) && Buffer.compare(row['logs_bloom'], bloomOfLogs(logsOf(row))) !== 0
  const wrong = transactions.filter(hasWrong)
  const made = wrong.map((row) =>
    finding(evmTransactions, row, {
      message: 'The Bloom filter of a transaction does not follow from its logs.',
      otherTable: evmLogs.name,
      columns: ['logs_bloom'],
      expected: bareHex(bloomOfLogs(logsOf(row))),
      found: bareHex(row['logs_bloom']),
    }),
  )
  if (made.length > 0) breaks(chain.rules.blooms, isC, made)
  else if (logs.length > 0 && transactions.some(hasBloom))
    keeps(chain.rules.blooms, shape === null ? 'between' : 'anywhere')
}

/** `isProven`: the root of receipts proves the cumulative gas of the own transactions of the block. */
function checkGas({ block, transactions, chain, isC, own, finding }: Examined, isProven: boolean): void {
  const wrong = wrongSum(isProven ? own.rows : transactions)
  // Since EIP-7778, blocks count gas without refunds.
  const counts = isProven && !isStated(block!, 'block_access_list_hash')
  if (wrong === null) {
    if (counts && own.rows.length > 0) keeps(chain.rules.gas, 'between')
    return
  }
  const { row, sum } = wrong
  const made = finding(evmTransactions, row, {
    message: 'The gas of a transaction and of those before it is not their cumulative gas.',
    columns: ['gas_used', 'cumulative_gas_used'],
    expected: `cumulative_gas_used ${sum}`,
    found: `cumulative_gas_used ${row['cumulative_gas_used']}, gas_used ${row['gas_used']}`,
  })
  breaks(chain.rules.gas, isC, counts ? [made] : [])
}

/** Checks blocks in order, from the first ones on. */
export function createBlockChecks(inventory: Pick<LakeRows['inventory'], 'networks'>) {
  const chains = new Map<string, Chain>()
  const findings: Finding[] = []
  return {
    /** Whether there are so many findings that more would not be reported. */
    isFull: () => findings.length >= mostFindings,
    add(stored: StoredBlock): void {
      const { network, chain_id: chainId } = stored.block ?? stored.transactions[0]!
      const name = `${network}/${chainId}`
      const chain = getOrCreate(chains, name, () => newChain(name, findings))
      chain.blocks += 1
      const block = examine(inventory, stored, chain)
      const isProven = checkHeader(block) && checkTransactions(block) && checkReceipts(block)
      // A proven receipt has the right filter.
      if (!isProven) checkBlooms(block)
      checkGas(block, isProven)
    },
    checked: (): Checked => ({
      findings: findings.slice(0, mostFindings),
      remarks: [...chains.values()].flatMap(remarksOf),
    }),
  }
}

/** Why it is not known which root the receipts of a block give; null if it is. */
function whyUnknown(block: Row, root: string | null): string | null {
  if (root === null) return 'a transaction has no receipt, or one without status or gas'
  if (!isStated(block, 'block_access_list_hash')) return null
  return 'they state the hash of an access list, and verify does not know how such chains encode receipts'
}

function isStated(row: Row, column: string): boolean {
  return row[column] !== null && row[column] !== undefined
}

function newChain(name: string, findings: Finding[]) {
  const rule = (): Rule => ({ kept: 0, broken: 0, held: [], findings })
  return {
    name,
    blocks: 0,
    rules: { header: rule(), transactions: rule(), receipts: rule(), blooms: rule(), gas: rule() },
    /** Why roots were not derived, and of how many blocks. */
    underived: new Map<string, number>(),
  }
}

function underived({ underived: known }: Chain, why: string): void {
  known.set(why, (known.get(why) ?? 0) + 1)
}

/** The transactions that a block itself has. `unknown` says why chainlake cannot tell for some; null if it can for all. */
function ownTransactions(transactions: readonly Row[], header: Parameters<typeof ownOf>[2]) {
  const hashed: { readonly row: Row; readonly bytes: Uint8Array }[] = []
  let unknown: string | null = null
  for (const row of transactions) {
    const bytes = transactionBytes(named(row, ofTransaction))
    if (bytes === null) unknown = `they have transactions of type ${row['transaction_type']}`
    else if (keccakText(bytes) === row['transaction_hash']) hashed.push({ row, bytes })
  }
  const own = ownOf(hashed, ({ row }) => row['gas_used'] > 0, header)
  return { rows: own.map(({ row }) => row), bytes: own.map(({ bytes }) => bytes), unknown }
}

function topicsOf({ topic0, topic1, topic2, topic3 }: Row): string[] {
  return [topic0, topic1, topic2, topic3].filter((topic) => topic !== null)
}

function bloomOfLogs(logs: readonly Row[]): Uint8Array {
  return bloomOf(logs.flatMap((log) => [log['address'] as string, ...topicsOf(log)]))
}

function bytesOfReceipt(row: Row, logs: readonly Row[]): Uint8Array | null {
  const receipt: Named = {
    type: row['transaction_type'],
    status: row['status'],
    root: row['receipt_root'],
    cumulativeGasUsed: row['cumulative_gas_used'],
    logsBloom: (hasBloom(row) || logs.length === 0 ? row['logs_bloom'] : null) ?? bloomOfLogs(logs),
  }
  return receiptBytes(
    receipt,
    logs.map((log): ReceiptLog => ({ address: log['address'], topics: topicsOf(log), data: log['data'] })),
  )
}

/** Whether a receipt states a Bloom filter. Some chains return filters without a bit, or with all bits, in all receipts. */
function hasBloom({ logs_bloom: bloom }: Row): boolean {
  return bloom !== null && [0, 255].every((same) => bloom.some((byte: number) => byte !== same))
}

/** The first transaction with a cumulative gas that is not the sum; null if all are right. */
function wrongSum(transactions: readonly Row[]): { readonly row: Row; readonly sum: bigint } | null {
  let sum = 0n
  for (const row of transactions) {
    if (!isStated(row, 'gas_used') || !isStated(row, 'cumulative_gas_used')) continue
    sum += BigInt(row['gas_used'])
    if (BigInt(row['cumulative_gas_used']) !== sum) return { row, sum }
  }
  return null
}

/** What is said of the blocks of a chain that break a rule. */
const ruleRemarks = {
  header: (of: string) =>
    `The hash of ${of} does not derive from the header in a shape that verify knows. Their transactions and receipts were not compared with the roots in their headers.`,
  transactions: (of: string) =>
    `The root of transactions of ${of} does not follow from their transactions. No block of the chain shows that it should.`,
  receipts: (of: string) =>
    `The root of receipts of ${of} does not follow from their receipts. No block of the chain shows that it should.`,
  blooms: (of: string) =>
    `The Bloom filters of receipts of ${of} do not follow from their logs, and nothing shows that they do on this chain.`,
  gas: (of: string) =>
    `The cumulative gas of transactions of ${of} is not the sum of their gas. Some chains state it otherwise.`,
}

function remarksOf({ name, blocks, rules, underived: why }: Chain): Remark[] {
  const of = (count: number) => `${countText(count)} of ${countText(blocks)} blocks of chain ${name}`
  const broken = Object.entries(ruleRemarks).flatMap(([rule, remark]) => {
    const count = rules[rule as keyof typeof rules].broken
    return count === 0 ? [] : [remark(of(count))]
  })
  const left = [...why].map(([reason, count]) => `The roots of ${of(count)} were not all derived: ${reason}.`)
  return [...broken, ...left].map((message) => ({ table: evmBlocks.name, message }))
}

function bareHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** Columns that are not named like the fields of the RPC. */
const renamed: Readonly<Record<string, string>> = {
  hash: 'block_hash',
  number: 'block_number',
  timestamp: 'timestamp_seconds',
  gas: 'gas_limit',
  to: 'to_address',
  type: 'transaction_type',
  chainId: 'signed_chain_id',
}

type Columns = readonly (readonly [name: string, column: string, exact: string])[]

function columnsOf(names: readonly string[]): Columns {
  return names.map((name) => {
    const column = renamed[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [name, column, `${column}_raw`]
  })
}

const ofHeader = columnsOf(['hash', ...headerNames])
const ofTransaction = columnsOf([
  ...['type', 'chainId', 'nonce', 'gasPrice', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input'],
  ...['accessList', 'maxFeePerBlobGas', 'blobVersionedHashes', 'authorizationList', 'yParity', 'v', 'r', 's'],
])

/** The columns that checks of blocks and of their transactions read. */
const columnsRead = new Map<Table, readonly string[]>([
  [
    evmTransactions,
    [
      ...evmTransactions.key,
      ...ofTransaction.flatMap(([, ...names]) => names.filter((name) => name in evmTransactions.columns)),
      ...words(
        'transaction_hash from_address contract_address status receipt_root gas_used cumulative_gas_used logs_bloom',
      ),
    ],
  ],
  [evmLogs, [...evmLogs.key, ...words('address topic0 topic1 topic2 topic3 data')]],
])

/** The table with these columns; a table that needs all of its columns is returned as it is. */
export function withColumnsRead(table: Table): Table {
  const names = columnsRead.get(table)
  return names === undefined ? table : withColumns(table, names)
}

/** A row by the names of the RPC. Amounts that may have more than 38 digits come from their texts. */
function named(row: Row, columns: Columns): Named {
  const fields: Record<string, unknown> = {}
  for (const [name, column, exact] of columns) fields[name] = row[exact] ?? row[column]
  return fields
}

/** Derives the hash of a C-Chain block from its header; returns nothing if a column holds no exact value. */
export function headerHash(row: Row): Row {
  if (row['ext_data_hash'] === null) return {}
  // The header of the genesis block has a different shape.
  if (Number(row['block_number']) === 0) return {}
  const hash = hashOfHeader(named(row, ofHeader), 'coreth')
  return hash === null ? {} : { block_hash: hash, ...extraDataHash(row) }
}

/** Derives the hash of the extra data of a block. Before Apricot phase 1, headers hold zeros. */
function extraDataHash(row: Row): Row {
  const { block_extra_data: extra, ext_data_hash: hash } = row
  if (extra === null || extra === undefined || /^0x0+$/.test(hash)) return {}
  return { ext_data_hash: keccakText(encode(rlpBytes, extra)) }
}

/** Derives the hash of a transaction, and the address of the contract that it creates; returns nothing for types that are not known. */
export function transactionHash(row: Row): Row {
  const bytes = transactionBytes(named(row, ofTransaction))
  return { ...(bytes === null ? {} : { transaction_hash: keccakText(bytes) }), ...createdContract(row) }
}

/** Derives the address of a created contract from the sender and the nonce of its transaction. */
function createdContract(row: Row): Row {
  const { to_address: to, contract_address: contract, from_address: from, nonce } = row
  if (to !== null || contract === null || contract === undefined || nonce === null) return {}
  return { contract_address: createdAddress(from, BigInt(nonce)) }
}
