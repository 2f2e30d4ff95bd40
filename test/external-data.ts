import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Absolute path of a file of the folder that `CHAINLAKE_TEST_DATA` names; vitest.config.ts has looked that it is there. */
export function dataPath(path: string): string {
  return join(process.env['CHAINLAKE_TEST_DATA'] ?? '', path)
}

/** The answer that a captured sample holds, a copy that a test may change. */
export function sampleAnswer(name: string): any {
  return JSON.parse(readFileSync(dataPath(`samples/${name}.json`), 'utf8')).response
}
