import type { ReadingContext } from '../../../src/define/index.ts'

/** A context that keeps the unknown fields that decoders report. */
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
