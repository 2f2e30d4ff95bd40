import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmStateDiffsPipeline } from '../../../pipelines/evm-state-diffs.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import {
  balanceSubject,
  callSubject,
  codeSubject,
  nonceSubject,
  type StateSubject,
  storageSubject,
  tokenSubject,
} from '../../../pipelines/shared/state-pipeline.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { type AbiFunction, parseFunction } from '../../decode/events/abi.ts'
import { callReader } from '../../decode/events/calls.ts'
import { readEvmBlock, readLogRows } from '../../decode/evm/blocks.ts'
import { readEvmStateDiffs } from '../../decode/evm/state.ts'
import { readEvmTraces } from '../../decode/evm/traces.ts'
import type { Connection } from '../../define/connection.ts'
import type { RangeOutput, RangeSource, Table } from '../../define/index.ts'
import { ConfigError, OtherSourceError } from '../../errors.ts'
import { sqlName, sqlText } from '../../lib/text.ts'
import type { EvmBlockLogs, Stream } from '../../model.ts'
import { identifyEvmChain, readFinalHead } from '../../sources/evm-answers.ts'
import { createEvmBlocks } from '../../sources/evm-blocks.ts'
import { createEvmLogs } from '../../sources/evm-logs.ts'
import { createEvmCells } from '../../sources/evm-state.ts'
import { callTracer, createEvmStateDiffs, createEvmTraces, stateChangeTracer } from '../../sources/evm-traces.ts'
import type { LogFilter } from '../../sources/stored-logs.ts'
import { tableNamed } from '../checks.ts'
import {
  bothChecked,
  type Checked,
  type ComparedWith,
  computedColumns,
  differenceFinding,
  differentColumn,
  type LakeRows,
  type Row,
  rowFinding,
} from '../lake.ts'
import type { Finding } from '../report.ts'
import { fromBlocks } from '../streams.ts'
import {
  type Asked,
  answerWithState,
  askEach,
  compareAll,
  compareSample,
  kinds,
  sampleOf,
  withoutState,
} from './sample.ts'

const evmLogs = tableNamed('evm_logs')
const evmTokens = tableNamed('evm_tokens')

/** The JSON-RPC of an EVM chain, below the base URL of the connection. */
type EvmChainAt = Asked & { readonly path: string }

const byRpc: ComparedWith = { name: 'the RPC of the chain', kinds, ignored: [] }

/** How whole blocks of an EVM chain are read again. */
type EvmRecords<R = any> = {
  readonly kind: string
  readonly output: RangeOutput<R>
  /** What one request returns. */
  readonly what: string
  readonly method: string
  readonly source: (connection: Connection, path: string, row: CoverageRow) => RangeSource<R>
  /** Whether a stream has only rows that pass a filter in its name. */
  readonly isFiltered?: true
}

/** Its decoder takes what its source reads. */
const records = <R>(declared: EvmRecords<R>): EvmRecords => declared

/** By the table that represents the others of its stream: each transaction changes a nonce. */
const recordsByTable: Readonly<Record<string, EvmRecords>> = {
  [tableNamed('evm_blocks').name]: records({
    kind: 'evm-blocks',
    output: { tables: evmBlocksPipeline.tables, read: readEvmBlock },
    what: 'a block',
    method: 'eth_getBlockByNumber with receipts',
    source: (connection, path) => createEvmBlocks(connection, path, { step: 1, underWay: 1 }),
  }),
  [tableNamed('evm_logs').name]: records({
    kind: 'evm-logs',
    output: {
      tables: { logs: evmLogs },
      read: (record: EvmBlockLogs, context) => ({ logs: readLogRows(record, context) }),
    },
    what: 'the logs of a block',
    method: 'eth_getLogs',
    source: (connection, path, { origin }) => createEvmLogs(connection, path, { filter: filterOf(origin) }),
    isFiltered: true,
  }),
  [tableNamed('evm_traces').name]: records({
    kind: 'evm-traces',
    output: { tables: evmTracesPipeline.tables, read: readEvmTraces },
    what: 'the traces of a block',
    method: 'debug_traceBlockByNumber',
    source: (connection, path) => createEvmTraces(connection, path, { tracers: [callTracer] }),
  }),
  [tableNamed('evm_nonce_changes').name]: records({
    kind: 'evm-state-diffs',
    output: { tables: evmStateDiffsPipeline.tables, read: readEvmStateDiffs },
    what: 'the state changes of a block',
    method: 'debug_traceBlockByNumber with diffMode',
    source: (connection, path) => createEvmStateDiffs(connection, path, { tracers: [stateChangeTracer] }),
  }),
}

/** The EVM chain id of a stream of blocks, logs, traces or state changes; null for other streams and tables. */
export function evmChainOf({ table, origin }: CoverageRow): string | null {
  return recordsByTable[table]?.kind === origin.kind ? (origin.chain ?? null) : null
}

/** Compares blocks and receipts, logs, traces or state changes with the JSON-RPC of the chain. */
async function verifyBlocks(row: CoverageRow, at: EvmChainAt): Promise<Checked> {
  const { output, what, method, source: sourceAt, isFiltered = false } = recordsByTable[row.table]!
  const { rows, connection, stop, questions, sample, path } = at
  const chainId = evmChainOf(row)!
  const step = Number(row.origin.parameters['step'] ?? 1)
  const source = sourceAt(connection, path, row)
  const from = isFiltered ? { ...byRpc, only: conditionOf(row.origin) } : byRpc
  const last = (await questions.answer(`the last final block of chain ${chainId}`, () => source.head(stop))) ?? -1
  // Few blocks may have logs that pass a filter: half of the sample has some in the lake.
  const filled = isFiltered ? await placesWithRows(rows, row, Math.floor(sample / 2)) : []
  const spread = sampleOf(row, sample - filled.length).map((each) => Math.ceil(each / step) * step)
  const wanted = [...new Set([...spread, ...filled])].filter((each) => each < row.slice.to && each <= last)
  const lost: number[] = []
  const found = await compareSample(row.stream, at, wanted, async (some) => {
    const { answers, refusals } = await askEach(row, what, some, (each) =>
      questions.ask(`${method} of chain ${chainId}`, () => answerWithState(() => source.window(each, each + 1, stop))),
    )
    lost.push(...answers.flatMap(({ of, answer }) => (answer === null ? [of] : [])))
    // The chain may leave out a number.
    const records = answers.flatMap(({ of, answer }) => (answer === null ? [] : [{ of, answer: answer[0] }]))
    const { tables, read } = output
    const ifAny = { tables, read: (record: any, context: any) => (record === undefined ? {} : read(record, context)) }
    return [...refusals, ...(await compareAll(rows, row, ifAny, records, { network: row.network, chainId }, from))]
  })
  const remarks =
    lost.length === 0 ? [] : [{ stream: row.stream, message: withoutState(row.stream, 'block', lost, wanted.length) }]
  // Rows of logs may be of several streams.
  const findings = isFiltered ? found.map((each) => ({ ...each, stream: row.stream })) : found
  return { findings, remarks }
}

/** An EVM chain with rows in tables of state. */
type ChainWithState = { readonly network: string; readonly chainId: string }

async function chainsWithState(rows: LakeRows): Promise<ChainWithState[]> {
  const each = statesOfTables.flatMap(({ table }) =>
    isRead(rows, table)
      ? [`SELECT network, chain_id FROM ${rows.relation(table, rows.filesOf(table))} GROUP BY ALL`]
      : [],
  )
  const found = each.length === 0 ? [] : await rows.engine.rows(`${each.join(' UNION ')} ORDER BY ALL`)
  return found.map(({ network, chain_id: chainId }) => ({ network, chainId }))
}

function isRead(rows: LakeRows, table: Table): boolean {
  return rows.filesOf(table).length > 0 && rows.looksAt(table) && !rows.torn(table)
}

/** Compares rows of balances, nonces, codes, storage slots, calls and tokens with what the JSON-RPC of their chain says of the same blocks. */
async function verifyState(chain: ChainWithState, at: EvmChainAt): Promise<Checked> {
  const { rows, questions, connection, path, stop } = at
  const head = await questions.answer(`the last final block of chain ${chain.chainId}`, () =>
    readFinalHead(connection, path, undefined, stop),
  )
  const checked: Checked[] = []
  for (const state of statesOfTables)
    if (isRead(rows, state.table)) checked.push(await verifyTable(chain, state, head?.number ?? -1, at))
  return bothChecked(...checked)
}

async function verifyTable(chain: ChainWithState, state: StateOfTable, last: number, at: EvmChainAt): Promise<Checked> {
  const { name } = state.table
  const stored = await sampledRows(chain, state.table, at)
  const known = stored.filter((row) => Number(row['block_number']) <= last)
  const lost: number[] = []
  const findings = await compareSample(name, at, known, async (some) => {
    const compared = await Promise.all(some.map((row) => compareRow(chain, state, row, at)))
    lost.push(...compared.flatMap((one) => (typeof one === 'number' ? [one] : [])))
    return compared.flatMap((one) => (typeof one === 'number' || one === null ? [] : [one]))
  })
  const behind = `The node is behind the lake in ${name} of chain ${chain.chainId}: rows after its last final block ${last} were not compared.`
  const messages = [
    ...(known.length < stored.length ? [behind] : []),
    ...(lost.length > 0 ? [withoutState(`${name} of chain ${chain.chainId}`, 'row', lost, known.length)] : []),
  ]
  return { findings, remarks: messages.map((message) => ({ table: name, message })) }
}

/** The same rows in each verification, from all over the table. */
async function sampledRows(
  { network, chainId }: ChainWithState,
  table: Table,
  { rows, sample }: Asked,
): Promise<Row[]> {
  const order = `hash(${table.key.map(sqlName).join(', ')})`
  const from = `FROM ${rows.relation(table, rows.filesOf(table))}
    WHERE network = ${sqlText(network)} AND chain_id = ${sqlText(chainId)} ORDER BY ${order} LIMIT ${sample}`
  const found: Row[] = []
  for await (const some of rows.engine.tableRows(table, from)) found.push(...(some as Row[]))
  return found
}

/** Compares a row with the node: what differs, or the block if the node no longer has its state. */
async function compareRow(
  { network, chainId }: ChainWithState,
  { table, subjectOf, words }: StateOfTable,
  row: Row,
  { rows, questions, connection, path, stop }: EvmChainAt,
): Promise<Finding | number | null> {
  const { key, read, ...calls } = subjectOf(row)
  const block = Number(row['block_number'])
  const cells = createEvmCells(connection, path, [{ ...calls, name: Object.values(key).join(' ') }])
  const outcome = await questions.ask(`${calls.calls('0x0')[0]!.method} of chain ${chainId}`, () =>
    answerWithState(() => cells.window(block, block + 1, stop)),
  )
  if (outcome === null) return null
  if ('refusal' in outcome) {
    const message = `The node refuses to return a row of ${table.name} that the lake has.`
    return rowFinding(rows, table, row, byRpc, 'missing', { message, found: outcome.refusal })
  }
  if (outcome.answer === null) return block
  const said = read(outcome.answer[0]!, { network, chainId }) as Row
  const column = differentColumn(table, said, row, [...words, ...computedColumns(table)])
  return column === null ? null : differenceFinding(rows, table, row, byRpc, column, said)
}

/** The filter of a stream of evm-logs. */
export function filterOf({ parameters }: Stream): LogFilter {
  const lists = ['contracts', 'topics', 'secondTopics', 'thirdTopics', 'fourthTopics']
  const [contracts = [], ...topics] = lists.map((name) => [parameters[name] ?? []].flat())
  // An empty list at the end would ask for logs with that many topics.
  while (topics.at(-1)?.length === 0) topics.pop()
  return { contracts, topics }
}

/** An SQL condition for the logs that pass the filter of a stream. */
function conditionOf(stream: Stream): string {
  const { contracts, topics } = filterOf(stream)
  const lists = [['address', contracts] as const, ...topics.map((each, at) => [`topic${at}`, each] as const)]
  const conditions = lists.flatMap(([column, values]) =>
    values.length === 0 ? [] : [`${column} IN (${values.map(sqlText).join(', ')})`],
  )
  return conditions.join(' AND ') || 'true'
}

/** Some of the blocks of a stream with logs in the lake, the same at each call. */
async function placesWithRows(rows: LakeRows, row: CoverageRow, most: number): Promise<number[]> {
  const { from, to } = row.slice
  if (most === 0 || rows.torn(evmLogs)) return []
  const blocks = { network: row.network, chainId: row.origin.chain ?? '', from, to }
  const logs = await fromBlocks(rows, evmLogs, blocks, [conditionOf(row.origin)])
  const found = await rows.engine.rows(
    `SELECT block_number::VARCHAR AS n FROM (SELECT DISTINCT block_number ${logs}) ORDER BY hash(block_number) LIMIT ${most}`,
  )
  return found.map(({ n }) => Number(n))
}

/**
 * Compares a sample of the blocks, logs, traces and state of an EVM chain with its JSON-RPC, at a path below the base URL.
 *
 * @throws OtherSourceError when the lake has nothing of this chain.
 */
export async function verifyRpc(at: EvmChainAt): Promise<Checked> {
  const chainId = String((await identifyEvmChain(at.connection, at.path, at.stop)).chainId)
  const { checked, others } = await verifyEvm(async () => chainId, null, at)
  if (checked !== null) return bothChecked(checked, { findings: [], remarks: at.questions.remarks() })
  throw new OtherSourceError(
    `The RPC endpoint serves the chain ${chainId}, but the lake has no blocks or logs of this chain, and neither traces nor state.`,
    {
      details: { 'EVM chains of the lake': [...new Set(others.map((other) => other.chainId))].join(', ') },
      hint: 'Nothing was compared. Give --rpc the URL of an EVM chain with blocks, logs, traces or state in the lake (such as of evm-blocks).',
    },
  )
}

/** Rows of an EVM chain that are not compared: a stream, or the tables of state. */
type OtherRows = { readonly chainId: string; readonly stream: string | null }

/** Compares all that the lake has of the EVM chain with this id, in one network or in all with `null`. `checked` is null if it has nothing. */
export async function verifyEvm(
  chain: () => Promise<string | null>,
  network: string | null,
  at: EvmChainAt,
): Promise<{ readonly checked: Checked | null; readonly others: readonly OtherRows[] }> {
  const streams = at.rows.inventory.coverage.flatMap((row) => {
    const chainId = evmChainOf(row)
    const check = () => verifyBlocks(row, at)
    return chainId === null ? [] : [{ network: row.network, chainId, stream: row.stream, check }]
  })
  const states = (await chainsWithState(at.rows)).map((each) => {
    return { ...each, stream: null, check: () => verifyState(each, at) }
  })
  const there = [...streams, ...states].filter((each) => network === null || each.network === network)
  if (there.length === 0) return { checked: null, others: [] }
  const chainId = await chain()
  const checked: Checked[] = []
  for (const each of there) if (each.chainId === chainId) checked.push(await each.check())
  const others = there.filter((each) => each.chainId !== chainId)
  return { checked: checked.length === 0 ? null : bothChecked(...checked), others }
}

/** A table of the state of EVM chains at blocks, and how to read one of its rows again. */
type StateOfTable = {
  readonly table: Table
  readonly subjectOf: (row: Row) => StateSubject
  /** Columns with the words of a node, which other software says differently. */
  readonly words: readonly string[]
}

export const statesOfTables: readonly StateOfTable[] = [
  { table: tableNamed('evm_balances'), subjectOf: ({ address }) => balanceSubject(address), words: [] },
  { table: tableNamed('evm_nonces'), subjectOf: ({ address }) => nonceSubject(address), words: [] },
  { table: tableNamed('evm_codes'), subjectOf: ({ address }) => codeSubject(address), words: [] },
  { table: tableNamed('evm_storage'), subjectOf: ({ address, slot }) => storageSubject({ address, slot }), words: [] },
  { table: tableNamed('evm_calls'), subjectOf: subjectOfCall, words: ['error'] },
  {
    table: evmTokens,
    subjectOf: ({ token_address: token }) => tokenSubject(token),
    words: Object.keys(evmTokens.columns).filter((name) => name.endsWith('_error')),
  },
]

function subjectOfCall({ contract, input_hash, input, function: declared }: Row): StateSubject {
  return {
    key: { contract, input_hash },
    ...callSubject(contract, input),
    read: callReader({ contract, input, called: declared === null ? null : functionOf(declared) }),
  }
}

/** A text that is no function differs from the row of the node, which has none. */
function functionOf(declared: string): AbiFunction | null {
  try {
    return parseFunction(declared, 'function')
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
