import { bloomOf } from '../../../codec/bloom.ts'
import {
  type HeaderShape,
  headerShape,
  type Named,
  type ReceiptLog,
  receiptBytes,
  transactionBytes,
} from '../../../codec/evm/block-parts.ts'
import { listRoot } from '../../../codec/evm/list-root.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import type { Table } from '../../define/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import { subtract } from '../../plan/intervals.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { waitingFor } from '../lake/waiting.ts'
import { namedHeader, namedTransaction } from '../proofs/evm-hashes.ts'
import { isOfCChain } from '../proofs/row-proofs.ts'
import { type BlockWindow, blocksOf, cutWindows, inWindow } from './block-windows.ts'

const mostFindings = 100

type Row = Readonly<Record<string, any>>

/** A block of the lake with its rows in order. `block` is null without the table of blocks, `logs` without that of logs. */
export type StoredBlock = {
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
  for (const window of windowsOf(rows)) {
    for (const stored of await storedBlocks(rows, window)) checks.add(stored)
    if (checks.isFull()) break
  }
  return checks.checked()
}

function isCovered({ inventory }: LakeRows, { name }: Table): boolean {
  return inventory.coverage.some(({ table }) => table === name)
}

/** The blocks that all of their tables cover, from the first ones on. After a repair, the next run reads some tables again. */
function* windowsOf(rows: LakeRows): Generator<BlockWindow> {
  const table = rows.filesOf(evmBlocks).length > 0 ? evmBlocks : evmTransactions
  const others = [evmTransactions, evmLogs].filter((other) => other !== table && isCovered(rows, other))
  const waiting = others.flatMap((other) => waitingFor(rows.inventory, other, table))
  const whole = rows.inventory.coverage.filter((row) => row.table === table.name)
  for (const row of whole.toSorted((a, b) => a.slice.from - b.slice.from)) {
    const without = waiting.filter(({ stream }) => stream === row.stream).flatMap(({ slices }) => slices)
    for (const slice of subtract([row.slice], without))
      for (const window of cutWindows(rows, slice, [table, ...others])) yield { ...window, row }
  }
}

async function storedBlocks(rows: LakeRows, window: BlockWindow): Promise<StoredBlock[]> {
  const blocks = await rowsIn(rows, evmBlocks, window, 'block_number')
  const transactions = await rowsIn(rows, evmTransactions, window, 'block_number, transaction_index')
  const logs = isCovered(rows, evmLogs) ? await rowsIn(rows, evmLogs, window, 'block_number, log_index') : null
  return [...new Set([...blocks.keys(), ...transactions.keys()])].map((number) => ({
    block: blocks.get(number)?.[0] ?? null,
    transactions: transactions.get(number) ?? [],
    logs: logs === null ? null : (logs.get(number) ?? []),
  }))
}

/** The rows of a window by block number. */
async function rowsIn(rows: LakeRows, table: Table, window: BlockWindow, order: string): Promise<Map<number, Row[]>> {
  const files = await rows.filesBetween(table, 'block_number', { from: window.from, to: window.to - 1 })
  const found = new Map<number, Row[]>()
  if (files.length === 0) return found
  const query = `FROM ${rows.relation(table, files)} WHERE ${inWindow(blocksOf(window))} ORDER BY ${order}`
  for await (const some of rows.engine.tableRows(table, query))
    for (const row of some as Row[]) put(found, Number(row['block_number']), row)
  return found
}

function put(groups: Map<number, Row[]>, key: number, row: Row): void {
  const known = groups.get(key)
  if (known === undefined) groups.set(key, [row])
  else known.push(row)
}

/** A rule that blocks of a chain satisfy, unless the chain has other rules. */
type Rule = {
  /** Blocks that satisfy it and have something that it is about. */
  kept: number
  /** Blocks that break it and about which nothing is certain yet: how many, and the first findings. */
  broken: number
  held: Finding[]
}

/** What is known about a chain so far. */
type Chain = {
  readonly name: string
  blocks: number
  readonly header: Rule
  readonly transactions: Rule
  readonly receipts: Rule
  readonly blooms: Rule
  readonly gas: Rule
  /** Why roots were not derived, and of how many blocks. */
  readonly underived: Map<string, number>
}

const newRule = (): Rule => ({ kept: 0, broken: 0, held: [] })

/** A block with what its checks share. */
type Examined = StoredBlock & {
  readonly at: Row
  readonly chain: Chain
  /** Whether it is of the C-Chain, whose rules are known. */
  readonly isC: boolean
  /** Null for a header in no known shape, and without the header. */
  readonly shape: HeaderShape | null
  readonly own: Own
  readonly logsOf: (row: Row) => readonly Row[]
}

/** Checks blocks in order, from the first ones on. */
export function createBlockChecks(inventory: Pick<LakeRows['inventory'], 'networks'>) {
  const chains = new Map<string, Chain>()
  const findings: Finding[] = []

  /**
   * A block that breaks a rule is wrong if it is certain that the chain has the rule: the blocks around it keep it (`between`), or any
   * other block of the chain does (`anywhere`). `between` is for rules that a fork of the chain may change.
   */
  const keeps = (rule: Rule, evidence: 'between' | 'anywhere'): void => {
    if (evidence === 'anywhere' || rule.kept > 0) {
      findings.push(...rule.held)
      rule.broken = 0
    }
    rule.held = []
    rule.kept += 1
  }
  const breaks = (rule: Rule, isCertain: boolean, made: readonly Finding[]): void => {
    if (isCertain) findings.push(...made)
    else {
      rule.broken += 1
      if (rule.held.length < mostFindings) rule.held.push(...made)
    }
  }
  const finding = (table: Table, row: Row, rest: Omit<Finding, 'kind' | 'table'>): Finding => ({
    kind: 'rows.value',
    ...placeOfRow(inventory, table, row),
    key: Object.fromEntries(table.key.map((name) => [name, String(row[name])])),
    ...rest,
  })

  const examine = (stored: StoredBlock): Examined => {
    const at = stored.block ?? stored.transactions[0]!
    const name = `${at['network']}/${at['chain_id']}`
    const chain = chains.get(name) ?? newChain(name)
    chains.set(name, chain)
    chain.blocks += 1
    const shape = stored.block === null ? null : headerShape(namedHeader(stored.block))
    const isC = isOfCChain(at, inventory) || shape === 'coreth'
    const logs = new Map<number, Row[]>()
    for (const log of stored.logs ?? []) put(logs, Number(log['transaction_index']), log)
    const logsOf = (row: Row) => logs.get(Number(row['transaction_index'])) ?? []
    return { ...stored, at, chain, isC, shape, own: ownTransactions(stored.transactions), logsOf }
  }

  /** Whether the hash of the block derives from its header. */
  const checkHeader = ({ block, chain, isC, shape }: Examined): boolean => {
    if (shape !== null) keeps(chain.header, 'between')
    // A proof of each row compares the hashes of the C-Chain. Block 0 may have a header of its own.
    else if (block !== null && !isC && Number(block['block_number']) > 0)
      breaks(chain.header, false, [
        finding(evmBlocks, block, {
          message: 'The hash of a block does not derive from its header, although those of blocks around it do.',
          columns: ['block_hash'],
          found: block['block_hash'],
        }),
      ])
    return shape !== null
  }

  /** Whether the root of transactions in the header follows from the rows. */
  const checkTransactions = ({ block, chain, isC, own, transactions }: Examined): boolean => {
    const root = block!['transactions_root']
    if (listRoot(own.bytes) === root) {
      if (own.rows.length > 0) keeps(chain.transactions, 'anywhere')
      return true
    }
    if (own.unknown !== null) underived(chain, own.unknown)
    else
      breaks(chain.transactions, isC || chain.transactions.kept > 0, [
        finding(evmBlocks, block!, {
          message: 'The root of transactions in the header of a block does not follow from its transactions.',
          otherTable: evmTransactions.name,
          columns: ['transactions_root'],
          expected: listRoot(transactions.map((row) => transactionBytes(namedTransaction(row)))) ?? 'another root',
          found: root,
        }),
      ])
    return false
  }

  /** Whether the root of receipts in the header follows from the rows. */
  const checkReceipts = ({ block, logs, chain, isC, own, logsOf }: Examined): boolean => {
    if (logs === null) return false
    if (isStated(block!, 'settled_height')) {
      underived(chain, 'since Helicon they state the root of receipts of the blocks that they settle')
      return false
    }
    const root = listRoot(own.rows.map((row) => bytesOfReceipt(row, logsOf(row))))
    if (root === block!['receipts_root']) {
      if (own.rows.length > 0) keeps(chain.receipts, 'anywhere')
      return true
    }
    const unknown = whyUnknown(block!, root)
    if (unknown !== null) {
      underived(chain, unknown)
      return false
    }
    breaks(chain.receipts, isC || chain.receipts.kept > 0, [
      finding(evmTransactions, own.rows[0] ?? block!, {
        message:
          'The root of receipts in the header of a block does not follow from its receipts: a status, the gas or a log of the block is wrong.',
        otherTable: evmBlocks.name,
        columns: ['status', 'receipt_root', 'cumulative_gas_used', 'logs_bloom'],
        expected: block!['receipts_root'],
        found: root!,
      }),
    ])
    return false
  }

  const checkBlooms = ({ transactions, logs, chain, isC, shape, logsOf }: Examined): void => {
    if (logs === null) return
    const wrong = transactions.filter((row) => hasWrongBloom(row, logsOf(row)))
    const made = wrong.map((row) =>
      finding(evmTransactions, row, {
        message: 'The Bloom filter of a transaction does not follow from its logs.',
        otherTable: evmLogs.name,
        columns: ['logs_bloom'],
        expected: hexOf(bloomOfLogs(logsOf(row))),
        found: hexOf(row['logs_bloom']),
      }),
    )
    if (made.length > 0) breaks(chain.blooms, isC, made)
    else if (logs.length > 0 && transactions.some(hasBloom))
      keeps(chain.blooms, shape === null ? 'between' : 'anywhere')
  }

  /** `isProven`: the root of receipts proves the cumulative gas of the own transactions of the block. */
  const checkGas = ({ block, transactions, chain, isC, own }: Examined, isProven: boolean): void => {
    const wrong = wrongSum(isProven ? own.rows : transactions)
    // Since EIP-7778, blocks count gas without refunds.
    const counts = isProven && !isStated(block!, 'block_access_list_hash')
    if (wrong === null) {
      if (counts && own.rows.length > 0) keeps(chain.gas, 'between')
      return
    }
    const { row, sum } = wrong
    const made = finding(evmTransactions, row, {
      message: 'The gas of a transaction and of those before it is not their cumulative gas.',
      columns: ['gas_used', 'cumulative_gas_used'],
      expected: `cumulative_gas_used ${sum}`,
      found: `cumulative_gas_used ${row['cumulative_gas_used']}, gas_used ${row['gas_used']}`,
    })
    breaks(chain.gas, isC, counts ? [made] : [])
  }

  return {
    /** Whether there are so many findings that more would not be reported. */
    isFull: () => findings.length >= mostFindings,
    add(stored: StoredBlock): void {
      const block = examine(stored)
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

function newChain(name: string): Chain {
  return {
    name,
    blocks: 0,
    header: newRule(),
    transactions: newRule(),
    receipts: newRule(),
    blooms: newRule(),
    gas: newRule(),
    underived: new Map(),
  }
}

function underived({ underived: known }: Chain, why: string): void {
  known.set(why, (known.get(why) ?? 0) + 1)
}

/** The transactions that a block itself has: some chains list others with them, whose hashes do not derive from their fields. */
type Own = {
  readonly rows: readonly Row[]
  readonly bytes: readonly Uint8Array[]
  /** Why some of them cannot be known; null if all can. */
  readonly unknown: string | null
}

function ownTransactions(transactions: readonly Row[]): Own {
  const rows: Row[] = []
  const bytes: Uint8Array[] = []
  let unknown: string | null = null
  for (const row of transactions) {
    const encoded = transactionBytes(namedTransaction(row))
    if (encoded === null) unknown = `they have transactions of type ${row['transaction_type']}`
    else if (`0x${hexOf(keccak256(encoded))}` === row['transaction_hash']) {
      rows.push(row)
      bytes.push(encoded)
    }
  }
  return { rows, bytes, unknown }
}

function topicsOf({ topic0, topic1, topic2, topic3 }: Row): string[] {
  return [topic0, topic1, topic2, topic3].filter((topic) => topic !== null)
}

function bloomOfLogs(logs: readonly Row[] = []): Uint8Array {
  return bloomOf(logs.flatMap((log) => [log['address'] as string, ...topicsOf(log)]))
}

function bytesOfReceipt(row: Row, logs: readonly Row[] = []): Uint8Array | null {
  const receipt: Named = {
    type: row['transaction_type'],
    status: row['status'],
    root: row['receipt_root'],
    cumulativeGasUsed: row['cumulative_gas_used'],
    logsBloom: hasBloom(row) || logs.length === 0 ? (row['logs_bloom'] ?? bloomOfLogs(logs)) : bloomOfLogs(logs),
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

function hasWrongBloom(row: Row, logs: readonly Row[] = []): boolean {
  return hasBloom(row) && Buffer.compare(row['logs_bloom'], bloomOfLogs(logs)) !== 0
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

function remarksOf({ name, blocks, header, transactions, receipts, blooms, gas, underived: why }: Chain): Remark[] {
  const of = (count: number) => `${countText(count)} of ${countText(blocks)} blocks of chain ${name}`
  const remarks: (string | false)[] = [
    header.broken > 0 &&
      `The hash of ${of(header.broken)} does not derive from the header in a shape that verify knows. Their transactions and receipts were not compared with the roots in their headers.`,
    transactions.broken > 0 &&
      `The root of transactions of ${of(transactions.broken)} does not follow from their transactions. No block of the chain shows that it should.`,
    receipts.broken > 0 &&
      `The root of receipts of ${of(receipts.broken)} does not follow from their receipts. No block of the chain shows that it should.`,
    ...[...why].map(([reason, count]) => `The roots of ${of(count)} were not all derived: ${reason}.`),
    blooms.broken > 0 &&
      `The Bloom filters of receipts of ${of(blooms.broken)} do not follow from their logs, and nothing shows that they do on this chain.`,
    gas.broken > 0 &&
      `The cumulative gas of transactions of ${of(gas.broken)} is not the sum of their gas. Some chains state it otherwise.`,
  ]
  return remarks.flatMap((message) => (message === false ? [] : [{ table: evmBlocks.name, message }]))
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
