import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Absolute path of a file in the folder `CHAINLAKE_TEST_DATA`; vitest.config.ts checks that the folder exists. */
export function dataPath(path: string): string {
  return join(process.env['CHAINLAKE_TEST_DATA'] ?? '', path)
}

/** The answer in a captured sample, as a copy that a test may change. */
export function sampleAnswer(name: string): any {
  return JSON.parse(readFileSync(dataPath(`samples/${name}.json`), 'utf8')).response
}
