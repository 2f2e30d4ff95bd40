import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmStateDiffsPipeline } from '../../../pipelines/evm-state-diffs.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmNonceChanges } from '../../../schemas/evm-nonce-changes.ts'
import { evmTraces } from '../../../schemas/evm-traces.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { readEvmBlock } from '../../decode/evm/read-block.ts'
import { readLogRows } from '../../decode/evm/read-logs.ts'
import { readEvmStateDiffs } from '../../decode/evm/read-state-diffs.ts'
import { readEvmTraces } from '../../decode/evm/read-traces.ts'
import type { Connection } from '../../define/connection.ts'
import type { RangeOutput, RangeSource, Table } from '../../define/index.ts'
import { createEvmBlocks } from '../../sources/evm-blocks.ts'
import { createEvmLogs } from '../../sources/evm-logs.ts'
import { createEvmStateDiffs } from '../../sources/traces/evm-state-diffs.ts'
import { createEvmTraces } from '../../sources/traces/evm-traces.ts'
import { callTracer, stateChangeTracer } from '../../sources/traces/tracers.ts'
import type { ComparedWith } from '../lake/compare-rows.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import type { EvmChainAt } from './evm-chain-at.ts'
import { conditionOf, filterOf, placesWithRows } from './filtered-logs.ts'
import { answerWithState, withoutState } from './lost-state.ts'
import { askEach, compareAll, compareSample, kinds, sampleOf } from './node-sample.ts'

const byRpc: ComparedWith = { name: 'the RPC of the chain', kinds, ignored: [] }

/** How whole blocks of an EVM chain are read again. */
type EvmRecords<R> = {
  readonly kind: string
  readonly tables: Readonly<Record<string, Table>>
  readonly read: (record: R, context: { readonly network: string; readonly chainId: string }) => Record<string, any>
  /** What one request returns. */
  readonly what: string
  readonly method: string
  readonly source: (connection: Connection, path: string, row: CoverageRow) => RangeSource<R>
  /** Whether a stream has only rows that pass a filter in its name. */
  readonly isFiltered?: true
}

const blocks: EvmRecords<Parameters<typeof readEvmBlock>[0]> = {
  kind: 'evm-blocks',
  tables: evmBlocksPipeline.tables,
  read: readEvmBlock,
  what: 'a block',
  method: 'eth_getBlockByNumber with receipts',
  source: (connection, path) => createEvmBlocks(connection, path, { step: 1, underWay: 1 }),
}
const traces: EvmRecords<Parameters<typeof readEvmTraces>[0]> = {
  kind: 'evm-traces',
  tables: evmTracesPipeline.tables,
  read: readEvmTraces,
  what: 'the traces of a block',
  method: 'debug_traceBlockByNumber',
  source: (connection, path) => createEvmTraces(connection, path, { tracers: [callTracer] }),
}
/** Each transaction changes a nonce, so that this table represents the others. */
const changes: EvmRecords<Parameters<typeof readEvmStateDiffs>[0]> = {
  kind: 'evm-state-diffs',
  tables: evmStateDiffsPipeline.tables,
  read: readEvmStateDiffs,
  what: 'the state changes of a block',
  method: 'debug_traceBlockByNumber with diffMode',
  source: (connection, path) => createEvmStateDiffs(connection, path, { tracers: [stateChangeTracer] }),
}
const logs: EvmRecords<Parameters<typeof readLogRows>[0]> = {
  kind: 'evm-logs',
  tables: { logs: evmLogs },
  read: (record, context) => ({ logs: readLogRows(record, context) }),
  what: 'the logs of a block',
  method: 'eth_getLogs',
  source: (connection, path, { origin }) => createEvmLogs(connection, path, { filter: filterOf(origin) }),
  isFiltered: true,
}
const recordsByTable: Readonly<Record<string, EvmRecords<any>>> = {
  [evmBlocks.name]: blocks,
  [evmLogs.name]: logs,
  [evmTraces.name]: traces,
  [evmNonceChanges.name]: changes,
}

/** The EVM chain id of a stream of blocks, logs, traces or state changes; null for other streams and tables. */
export function evmChainOf({ table, origin }: CoverageRow): string | null {
  return recordsByTable[table]?.kind === origin.kind ? (origin.chain ?? null) : null
}

/** Compares blocks and receipts, logs, traces or state changes with the JSON-RPC of the chain. */
export async function verifyEvm(
  rows: LakeRows,
  row: CoverageRow,
  { options, questions, path }: EvmChainAt,
): Promise<Checked> {
  const { tables, read, what, method, source: sourceAt, isFiltered = false } = recordsByTable[row.table]!
  const { connection, stop } = options
  const chainId = evmChainOf(row)!
  const step = Number(row.origin.parameters['step'] ?? 1)
  const source = sourceAt(connection, path, row)
  const from = isFiltered ? { ...byRpc, only: conditionOf(row.origin) } : byRpc
  const head = await questions.ask(`the last final block of chain ${chainId}`, () => source.head(stop))
  const last = head !== null && 'answer' in head ? (head.answer ?? -1) : -1
  // Few blocks may have logs that pass a filter: half of the sample has some in the lake.
  const filled = isFiltered ? await placesWithRows(rows, row, Math.floor(options.sample / 2)) : []
  const spread = sampleOf(row, options.sample - filled.length).map((at) => Math.ceil(at / step) * step)
  const wanted = [...new Set([...spread, ...filled])].filter((at) => at < row.slice.to && at <= last)
  const output = {
    tables,
    read: ([record]: readonly unknown[], context: any) => (record === undefined ? {} : read(record, context)),
  } as RangeOutput<readonly unknown[]>
  const lost: number[] = []
  const found = await compareSample(row, options, wanted, async (some) => {
    const { answers, refusals } = await askEach(row, what, some, (at) =>
      questions.ask(`${method} of chain ${chainId}`, () => answerWithState(() => source.window(at, at + 1, stop))),
    )
    lost.push(...answers.flatMap(({ of, answer }) => (answer === null ? [of] : [])))
    const numbered = answers.flatMap(({ of, answer }) => (answer === null ? [] : [{ of, answer }]))
    return [...refusals, ...(await compareAll(rows, row, output, numbered, { network: row.network, chainId }, from))]
  })
  const remarks =
    lost.length === 0 ? [] : [{ stream: row.stream, message: withoutState(row.stream, 'block', lost, wanted.length) }]
  // Rows of logs may be of several streams.
  const findings = isFiltered ? found.map((each) => ({ ...each, stream: row.stream })) : found
  return { findings, remarks }
}
