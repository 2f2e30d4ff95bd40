import { expect, test } from 'vitest'
import type { WindowSource } from '../../../src/define/index.ts'
import type { PlannedSlice } from '../../../src/run/ranges/plan-slices.ts'
import { interleavedSlices, orderedWindows } from '../../../src/run/ranges/read-slices.ts'
import { joinWindows } from '../../../src/sources/stored-logs.ts'
import { windowTooLarge } from '../../../src/sources/window-size.ts'

test('streams share each window although the window size changes and windows are halved', async () => {
  const answered: number[] = []
  let size = 128
  const source: WindowSource<number> = {
    windowSize: () => size,
    async window(from, to) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (to - from > 64) throw windowTooLarge('Too large.', { from, to })
      const numbers = Array.from({ length: to - from }, (_, at) => from + at)
      answered.push(...numbers)
      size = 7 + (answered.length % 5)
      return numbers
    },
  }
  const parts = ['a', 'b', 'c', 'd']
  const recordsOf = (records: readonly number[]) => new Map(parts.map((part) => [part, [...records]]))
  const shared = { together: () => joinWindows(source, parts, recordsOf) }
  const read = { from: 0, to: 512 }
  const slices = parts.map(() => ({ source: { ...source, shared }, read }) as unknown as PlannedSlice)
  const found = new Map<PlannedSlice, number[]>(slices.map((each) => [each, []]))
  const options = { ahead: 3, stop: new AbortController().signal }
  for await (const { planned, records } of orderedWindows(interleavedSlices(slices), options))
    found.get(planned.stepOf!)!.push(...(records as number[]))
  for (const numbers of found.values()) expect(numbers).toEqual(Array.from({ length: 512 }, (_, at) => at))
  // Windows that wait while another one is halved may be requested a second time.
  expect(answered.length).toBeLessThan(2 * 512)
})

test('streams of a source that shares no requests are read one after another', async () => {
  const source: WindowSource<number> = {
    windowSize: () => 10,
    window: async (from, to) => Array.from({ length: to - from }, (_, at) => from + at),
  }
  const shared = { together: (sources: readonly WindowSource<unknown>[]) => sources }
  const read = { from: 0, to: 30 }
  /** As a module may have it. */
  class Numbers {
    readonly shared = shared
    readonly #size = 10
    windowSize(): number {
      return this.#size
    }
    async window(from: number, to: number): Promise<number[]> {
      return source.window(from, to).then((numbers) => numbers.slice(0, 3 * this.#size)) as Promise<number[]>
    }
  }
  const slices = [source, { ...source, shared }, new Numbers(), source].map(
    (each) => ({ source: each, read }) as unknown as PlannedSlice,
  )
  const found = new Map<PlannedSlice, number[]>(slices.map((each) => [each, []]))
  const options = { ahead: 3, stop: new AbortController().signal }
  for await (const { planned, records } of orderedWindows(interleavedSlices(slices), options))
    found.get(planned.stepOf!)!.push(...(records as number[]))
  for (const numbers of found.values()) expect(numbers).toEqual(Array.from({ length: 30 }, (_, at) => at))
})
