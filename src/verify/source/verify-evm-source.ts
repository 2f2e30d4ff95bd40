import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmStateDiffsPipeline } from '../../../pipelines/evm-state-diffs.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmNonceChanges } from '../../../schemas/evm-nonce-changes.ts'
import { evmTraces } from '../../../schemas/evm-traces.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { readEvmBlock } from '../../decode/evm/read-block.ts'
import { readEvmStateDiffs } from '../../decode/evm/read-state-diffs.ts'
import { readEvmTraces } from '../../decode/evm/read-traces.ts'
import type { Connection } from '../../define/connection.ts'
import type { RangeOutput, RangeSource, Table } from '../../define/index.ts'
import { createEvmBlocks } from '../../sources/evm-blocks.ts'
import { createEvmStateDiffs } from '../../sources/traces/evm-state-diffs.ts'
import { createEvmTraces } from '../../sources/traces/evm-traces.ts'
import { callTracer, stateChangeTracer } from '../../sources/traces/tracers.ts'
import type { ComparedWith } from '../lake/compare-rows.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import type { EvmChainAt } from './evm-chain-at.ts'
import { answerWithState, withoutState } from './lost-state.ts'
import { askEach, compareAll, compareSample, kinds, sampleOf } from './node-sample.ts'

const byRpc: ComparedWith = { name: 'the RPC of the chain', kinds, ignored: [] }

/** How whole blocks of an EVM chain are read again. */
type EvmRecords<R> = {
  readonly pipeline: string
  readonly tables: Readonly<Record<string, Table>>
  readonly read: (record: R, context: { readonly network: string; readonly chainId: string }) => Record<string, any>
  /** What one request returns. */
  readonly what: string
  readonly method: string
  readonly source: (connection: Connection, path: string) => RangeSource<R>
}

const blocks: EvmRecords<Parameters<typeof readEvmBlock>[0]> = {
  pipeline: 'evm-blocks',
  tables: evmBlocksPipeline.tables,
  read: readEvmBlock,
  what: 'a block',
  method: 'eth_getBlockByNumber with receipts',
  source: (connection, path) => createEvmBlocks(connection, path, { step: 1, underWay: 1 }),
}
const traces: EvmRecords<Parameters<typeof readEvmTraces>[0]> = {
  pipeline: 'evm-traces',
  tables: evmTracesPipeline.tables,
  read: readEvmTraces,
  what: 'the traces of a block',
  method: 'debug_traceBlockByNumber',
  source: (connection, path) => createEvmTraces(connection, path, { tracers: [callTracer] }),
}
/** Each transaction changes a nonce, so that this table represents the others. */
const changes: EvmRecords<Parameters<typeof readEvmStateDiffs>[0]> = {
  pipeline: 'evm-state-diffs',
  tables: evmStateDiffsPipeline.tables,
  read: readEvmStateDiffs,
  what: 'the state changes of a block',
  method: 'debug_traceBlockByNumber with diffMode',
  source: (connection, path) => createEvmStateDiffs(connection, path, { tracers: [stateChangeTracer] }),
}
const recordsByTable: Readonly<Record<string, EvmRecords<any>>> = {
  [evmBlocks.name]: blocks,
  [evmTraces.name]: traces,
  [evmNonceChanges.name]: changes,
}

/** The EVM chain id of a stream of blocks or traces; null for other streams and tables. */
export function evmChainOf({ network, table, stream }: CoverageRow): string | null {
  const records = recordsByTable[table]
  const [pipeline, chainId] = stream.slice(network.length + 1).split(/[/?]/)
  return records?.pipeline === pipeline ? (chainId ?? null) : null
}

/** Compares blocks and receipts, or traces, with the JSON-RPC of the chain. */
export async function verifyEvm(
  rows: LakeRows,
  row: CoverageRow,
  { options, questions, path }: EvmChainAt,
): Promise<Checked> {
  const { tables, read, what, method, source: sourceAt } = recordsByTable[row.table]!
  const { connection, stop } = options
  const chainId = evmChainOf(row)!
  const step = Number(/[?&]step=(\d+)/.exec(row.stream)?.[1] ?? 1)
  const source = sourceAt(connection, path)
  const head = await questions.ask(`the last final block of chain ${chainId}`, () => source.head(stop))
  const last = head !== null && 'answer' in head ? (head.answer ?? -1) : -1
  const wanted = [...new Set(sampleOf(row, options.sample).map((at) => Math.ceil(at / step) * step))].filter(
    (at) => at < row.slice.to && at <= last,
  )
  type Numbered = { readonly index: number; readonly record: unknown }
  const output = {
    tables,
    read: ({ record }: Numbered, context: any) => read(record, context),
  } as RangeOutput<Numbered>
  const lost: number[] = []
  const findings = await compareSample(row, options, wanted, async (some) => {
    const { answers, refusals } = await askEach(row, what, some, (at) =>
      questions.ask(`${method} of chain ${chainId}`, () => answerWithState(() => source.window(at, at + 1, stop))),
    )
    lost.push(...answers.flatMap(({ of, answer }) => (answer === null ? [of] : [])))
    const numbered = answers.flatMap(({ of, answer }) => (answer ?? []).map((record) => ({ index: of, record })))
    return [...refusals, ...(await compareAll(rows, row, output, numbered, { network: row.network, chainId }, byRpc))]
  })
  const remarks =
    lost.length === 0 ? [] : [{ stream: row.stream, message: withoutState(row.stream, 'block', lost, wanted.length) }]
  return { findings, remarks }
}
