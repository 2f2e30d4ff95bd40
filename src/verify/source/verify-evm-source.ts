import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { readEvmBlock } from '../../decode/evm/read-block.ts'
import type { RangeOutput } from '../../define/index.ts'
import { createEvmBlocks } from '../../sources/evm-blocks.ts'
import type { ComparedWith } from '../lake/compare-rows.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import type { NodeQuestions } from './node-questions.ts'
import { askEach, compareAll, compareSample, kinds, type SampleOptions, sampleOf } from './node-sample.ts'

const byRpc: ComparedWith = { name: 'the RPC of the chain', kinds, ignored: [] }

/** The EVM chain id of a stream of blocks; null for other streams and tables. */
export function evmChainOf({ network, table, stream }: CoverageRow): string | null {
  if (table !== evmBlocks.name) return null
  return /^evm-blocks\/([^/?]+)/.exec(stream.slice(network.length + 1))?.[1] ?? null
}

/** Compares blocks and receipts with the JSON-RPC of the chain, which is at `path`. */
export async function verifyEvm(
  rows: LakeRows,
  row: CoverageRow,
  options: SampleOptions,
  questions: NodeQuestions,
  path: string,
): Promise<Checked> {
  const { connection, stop } = options
  const chainId = evmChainOf(row)
  const step = Number(/[?&]step=(\d+)/.exec(row.stream)?.[1] ?? 1)
  const source = createEvmBlocks(connection, path, { step: 1, underWay: 1 })
  const head = await questions.ask(`the last final block of chain ${chainId}`, () => source.head(stop))
  const last = head !== null && 'answer' in head ? (head.answer ?? -1) : -1
  const wanted = [...new Set(sampleOf(row, options.sample).map((at) => Math.ceil(at / step) * step))].filter(
    (at) => at < row.slice.to && at <= last,
  )
  type Numbered = { readonly index: number; readonly record: Parameters<typeof readEvmBlock>[0] }
  const output: RangeOutput<Numbered> = {
    tables: evmBlocksPipeline.tables,
    read: ({ record }, context) => readEvmBlock(record, context),
  }
  const findings = await compareSample(row, options, wanted, async (some) => {
    const { answers, refusals } = await askEach(row, 'a block', some, (at) =>
      questions.ask(`eth_getBlockByNumber with receipts of chain ${chainId}`, () => source.window(at, at + 1, stop)),
    )
    const numbered = answers.flatMap(({ answer }) => answer.map((record) => ({ index: record.number, record })))
    return [...refusals, ...(await compareAll(rows, row, output, numbered, { network: row.network, chainId }, byRpc))]
  })
  return { findings, remarks: [] }
}
