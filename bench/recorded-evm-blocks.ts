import { join } from 'node:path'
import { recordedLines } from '../devnet/replay/recording.ts'
import { packageRoot } from '../src/lib/package.ts'
import type { RecordedEvmBlocks } from './evm-chain.ts'

/** The recorded C-Chain of a node with the rules of Granite, without its genesis block. */
export function recordedEvmBlocks(): RecordedEvmBlocks {
  const [blocks, receipts] = ['c-blocks', 'c-receipts'].map(resultsOf)
  return blocks!.slice(1).map((block, at) => ({ block, receipts: receipts![at + 1] }))
}

function resultsOf(file: string): any[] {
  const lines = recordedLines(join(packageRoot(), 'test/fixtures/recorded/granite'), `${file}.jsonl`)
  if (lines === null) throw new Error(`There is no recording ${file}.`)
  return lines.map((line) => JSON.parse(line).result)
}
