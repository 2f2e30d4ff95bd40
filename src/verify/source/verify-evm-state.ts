import type { StateSubject } from '../../../pipelines/shared/state-pipeline.ts'
import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { EvmCell } from '../../model.ts'
import { readFinalHead } from '../../sources/evm-answers.ts'
import { createEvmCells } from '../../sources/state/evm-cells.ts'
import { comparable, type DecodedRow, differentColumn, rowFinding } from '../lake/compare-rows.ts'
import { computedColumns } from '../lake/computed-values.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import type { EvmChainAt } from './evm-chain-at.ts'
import { answerWithState, withoutState } from './lost-state.ts'
import { batch, kinds, mostFindings, type SampleOptions } from './node-sample.ts'
import { type StateOfTable, statesOfTables } from './state-subjects.ts'

/** An EVM chain whose state the lake holds. */
export type ChainWithState = { readonly network: string; readonly chainId: string }

/** The chains with rows in the tables of state. */
export async function chainsWithState(rows: LakeRows): Promise<ChainWithState[]> {
  const there = statesOfTables.filter(({ table }) => isRead(rows, table))
  if (there.length === 0) return []
  const each = there.map(
    ({ table }) => `SELECT network, chain_id FROM ${rows.relation(table, rows.filesOf(table))} GROUP BY ALL`,
  )
  const found = await rows.engine.rows(`${each.join(' UNION ')} ORDER BY ALL`)
  return found.map(({ network, chain_id: chainId }) => ({ network, chainId }))
}

function isRead(rows: LakeRows, table: Table): boolean {
  return rows.filesOf(table).length > 0 && rows.looksAt(table) && !rows.torn(table)
}

/** Compares rows of balances, nonces, codes, storage slots, calls and tokens with what the JSON-RPC of their chain says of the same blocks. */
export async function verifyEvmState(rows: LakeRows, chain: ChainWithState, at: EvmChainAt): Promise<Checked> {
  const { options, questions, path } = at
  const head = await questions.ask(`the last final block of chain ${chain.chainId}`, () =>
    readFinalHead(options.connection, path, undefined, options.stop),
  )
  const last = head !== null && 'answer' in head ? (head.answer.number ?? -1) : -1
  let checked = nothingFound
  for (const state of statesOfTables)
    if (isRead(rows, state.table)) checked = bothChecked(checked, await verifyTable(rows, chain, state, last, at))
  return checked
}

async function verifyTable(
  rows: LakeRows,
  chain: ChainWithState,
  state: StateOfTable,
  last: number,
  { options, questions, path }: EvmChainAt,
): Promise<Checked> {
  const { name } = state.table
  const { stop, onProgress } = options
  const stored = await sampledRows(rows, chain, state.table, options)
  const known = stored.filter((row) => Number(row['block_number']) <= last)
  const remarks: Remark[] = []
  if (known.length < stored.length)
    remarks.push({
      table: name,
      message: `The node is behind the lake in ${name} of chain ${chain.chainId}: rows after its last final block ${last} were not compared.`,
    })
  const findings: Finding[] = []
  const lost: number[] = []
  for (let start = 0; start < known.length && findings.length < mostFindings; start += batch) {
    stop.throwIfAborted()
    onProgress({ what: name, done: start, of: known.length })
    const some = known.slice(start, start + batch)
    const compared = await Promise.all(
      some.map((row) => compareRow(rows, chain, state, row, { options, questions, path })),
    )
    findings.push(...compared.flatMap(({ found }) => found))
    lost.push(...compared.flatMap(({ lost }) => lost))
  }
  if (lost.length > 0)
    remarks.push({ table: name, message: withoutState(`${name} of chain ${chain.chainId}`, 'row', lost, known.length) })
  return { findings: findings.slice(0, mostFindings), remarks }
}

/** The same rows in each verification, from all over the table. */
async function sampledRows(
  rows: LakeRows,
  { network, chainId }: ChainWithState,
  table: Table,
  { sample }: SampleOptions,
): Promise<DecodedRow[]> {
  const order = `hash(${table.key.map(sqlName).join(', ')})`
  const from = `FROM ${rows.relation(table, rows.filesOf(table))}
    WHERE network = ${sqlText(network)} AND chain_id = ${sqlText(chainId)} ORDER BY ${order} LIMIT ${sample}`
  const found: DecodedRow[] = []
  for await (const some of rows.engine.tableRows(table, from)) found.push(...(some as DecodedRow[]))
  return found
}

type Compared = { readonly found: readonly Finding[]; readonly lost: readonly number[] }

/** Compares a row with the node. `lost` holds its block if the node no longer has the state of it. */
async function compareRow(
  rows: LakeRows,
  { network, chainId }: ChainWithState,
  { table, subjectOf, words }: StateOfTable,
  row: DecodedRow,
  { options, questions, path }: EvmChainAt,
): Promise<Compared> {
  const subject = subjectOf(row)
  const block = Number(row['block_number'])
  const outcome = await questions.ask(`${subject.calls('0x0')[0]!.method} of chain ${chainId}`, () =>
    answerWithState(() => readSubject(subject, block, { options, path })),
  )
  if (outcome === null) return { found: [], lost: [] }
  const from = { name: 'the RPC of the chain', kinds, ignored: [] }
  if ('refusal' in outcome) {
    const message = `The node refuses to return a row of ${table.name} that the lake has.`
    return { found: [{ ...rowFinding(rows, table, row, from, 'missing', message), found: outcome.refusal }], lost: [] }
  }
  if (outcome.answer === null) return { found: [], lost: [block] }
  const said = subject.read(outcome.answer, { network, chainId }) as DecodedRow
  const column = differentColumn(table, said, row, [...words, ...computedColumns(table)])
  if (column === null) return { found: [], lost: [] }
  const message = `${column} of a row of ${table.name} differs from ${from.name}.`
  const values = { columns: [column], expected: textOf(said[column]), found: textOf(row[column]) }
  return { found: [{ ...rowFinding(rows, table, row, from, 'different', message), ...values }], lost: [] }
}

async function readSubject(
  { key, read: _, ...calls }: StateSubject,
  block: number,
  { options, path }: Pick<EvmChainAt, 'options' | 'path'>,
): Promise<EvmCell> {
  const subject = { ...calls, name: Object.values(key).join(' ') }
  const [cell] = await createEvmCells(options.connection, path, [subject]).window(block, block + 1, options.stop)
  return cell!
}

function textOf(value: unknown): string {
  return comparable(value).slice(0, 200)
}
