import { readEvmTraces } from '../src/decode/evm/traces.ts'
import type { EvmBlockTraces } from '../src/model.ts'
import { decodedPerSecond } from './decoded-per-second.ts'
import { recordedEvm } from './recorded-evm.ts'

/** The recorded blocks with their traces, without the genesis block. */
function tracedBlocks(): EvmBlockTraces[] {
  const [blocks, traces] = ['c-blocks', 'c-traces'].map((file) => recordedEvm(file).map(({ result }) => result))
  return traces!.map((answer: readonly { txHash: string; result: unknown }[], at) => ({
    number: at + 1,
    block: blocks![at + 1],
    transactionHashes: answer.map(({ txHash }) => txHash),
    traces: [answer.map(({ result }) => result)],
  }))
}

/** Calls of traces decoded to rows per CPU second, without requests and files. */
export async function traceLines(): Promise<readonly string[]> {
  const blocks = tracedBlocks()
  const decodeAll = (): number =>
    blocks.reduce((sum, block) => sum + readEvmTraces(block, { network: 'local', chainId: '43112' }).traces.length, 0)
  return [`traces: ${decodedPerSecond(decodeAll)} calls decoded per CPU second`]
}
