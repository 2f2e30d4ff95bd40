import { join } from 'node:path'
import { readEvmTraces } from '../src/decode/evm/read-traces.ts'
import { recordedLines } from '../src/devnet/replay/lines.ts'
import { packageRoot } from '../src/lib/files/package-root.ts'
import type { EvmBlockTraces } from '../src/model.ts'

/** The recorded blocks with their traces, without the genesis block. */
function tracedBlocks(): EvmBlockTraces[] {
  const [blocks, traces] = ['c-blocks', 'c-traces'].map((file) => {
    const lines = recordedLines(join(packageRoot(), 'test/fixtures/recorded/evm'), `${file}.jsonl`)
    if (lines === null) throw new Error(`There is no recording ${file}.`)
    return lines.map((line) => JSON.parse(line).result)
  })
  return traces!.map((answer: readonly { txHash: string; result: unknown }[], at) => ({
    number: at + 1,
    block: blocks![at + 1],
    transactionHashes: answer.map(({ txHash }) => txHash),
    traces: [answer.map(({ result }) => result)],
  }))
}

/** How many calls of traces become rows per second of CPU, without requests and files. */
export async function traceLines(): Promise<readonly string[]> {
  const blocks = tracedBlocks()
  const decodeAll = (): number =>
    blocks.reduce((sum, block) => sum + readEvmTraces(block, { network: 'local', chainId: '43112' }).traces.length, 0)
  for (let round = 0; round < 50; round++) decodeAll()
  const rounds = 300
  let calls = 0
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) calls += decodeAll()
  const { user, system } = process.cpuUsage(before)
  const perSecond = Math.round((calls * 1e6) / (user + system))
  return [`traces: ${perSecond.toLocaleString('en-US')} calls decoded per CPU second`]
}
