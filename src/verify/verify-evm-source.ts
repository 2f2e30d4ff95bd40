import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import type { CoverageRow } from '../catalog/catalog.ts'
import { readEvmBlock } from '../decode/evm/read-block.ts'
import type { RangeOutput } from '../define/index.ts'
import { createEvmBlocks } from '../sources/evm-blocks.ts'
import { identifyEvmChain } from '../sources/evm-chain.ts'
import type { ComparedWith } from './compare-rows.ts'
import type { Checked, LakeRows } from './lake-rows.ts'
import type { NodeQuestions } from './node-questions.ts'
import { compareAll, compareSample, kinds, refused, type SourceOptions, sampleOf } from './node-sample.ts'

const byRpc: ComparedWith = { name: 'the RPC of the node', kinds, ignored: [] }

/** Blocks with their receipts, where the C chain of the node is the chain of the stream. */
export async function verifyEvm(
  rows: LakeRows,
  row: CoverageRow,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const { transport, stop } = options
  const chainId = /evm-blocks\/([^/?]+)/.exec(row.stream)?.[1] ?? ''
  const step = Number(/[?&]step=(\d+)/.exec(row.stream)?.[1] ?? 1)
  const route = '/ext/bc/C/rpc'
  const said = await questions.ask('eth_chainId of C', () => identifyEvmChain(transport, route, stop))
  if (said === null || 'refusal' in said || String(said.answer.chainId) !== chainId)
    return {
      findings: [],
      remarks: [
        { stream: row.stream, message: `Not compared with the node: ${row.stream}, which is not the C chain of it.` },
      ],
    }
  const source = createEvmBlocks(transport, route, { step: 1, underWay: 1 })
  const head = await questions.ask('the last final block of C', () => source.head(stop))
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
    const outcomes = await Promise.all(
      some.map((at) => questions.ask('eth_getBlockByNumber with receipts of C', () => source.window(at, at + 1, stop))),
    )
    const records = outcomes.flatMap((outcome) => (outcome !== null && 'answer' in outcome ? outcome.answer : []))
    const refusals = outcomes.flatMap((outcome, at) =>
      outcome !== null && 'refusal' in outcome ? [refused(row, `block ${some[at]}`, outcome.refusal)] : [],
    )
    const numbered = records.map((record) => ({ index: record.number, record }))
    return [...refusals, ...(await compareAll(rows, row, output, numbered, { network: row.network, chainId }, byRpc))]
  })
  return { findings, remarks: [] }
}
