import { join } from 'node:path'
import { recordedLines } from '../devnet/replay/recording.ts'
import { packageRoot } from '../src/lib/package.ts'

/** The lines of a file of the recorded EVM chain, such as `c-blocks`, parsed. */
export function recordedEvm(file: string): any[] {
  const lines = recordedLines(join(packageRoot(), 'test/fixtures/recorded/evm'), `${file}.jsonl`)
  if (lines === null) throw new Error(`There is no recording ${file}.`)
  return lines.map((line) => JSON.parse(line))
}
