import { readFileSync } from 'node:fs'
import type { ReadingContext } from '../../../src/define/index.ts'
import { sharedData } from '../../shared-data.ts'

/** A context that keeps what decoders tell. */
export type TestContext = ReadingContext & { readonly unknown: string[] }

export function testContext(): TestContext {
  const unknown: string[] = []
  return {
    observationId: 'observation-1',
    observedAt: 1_763_700_000_000_000n,
    unknownField: (path) => void unknown.push(path),
    memory: new Map(),
    unknown,
  }
}

/** The answer that a captured sample holds, a copy that a test may change. */
export function sampleAnswer(name: string): any {
  return JSON.parse(readFileSync(sharedData(`samples/${name}.json`), 'utf8')).response
}
