import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WindowSource } from '../../../src/define/index.ts'
import type { PlannedSlice } from '../../../src/run/ranges/plan-slices.ts'
import { orderedWindows } from '../../../src/run/ranges/read-slices.ts'
import { windowTooLarge } from '../../../src/sources/window-size.ts'

type Record = { readonly at: number; readonly place: number }

/** A range with this many records at each coordinate. A window longer than 1 returns at most `most` records. */
function sourceOf(counts: readonly number[], most: number, options: { size?: number; waitMs?: () => number } = {}) {
  const requested: number[] = []
  const source: WindowSource<Record> = {
    windowSize: () => options.size ?? counts.length,
    window: async (from, to, signal, turn) => {
      requested.push(to - from)
      await new Promise((resolve) => setTimeout(resolve, options.waitMs?.() ?? 0))
      signal?.throwIfAborted()
      const records: Record[] = []
      for (let at = from; at < to; at++)
        for (let place = 0; place < counts[at]!; place++) {
          if (records.length > most / 2) await turn
          records.push({ at, place })
          if (records.length > most && to - from > 1) throw windowTooLarge('Too many.', { from, to })
        }
      return records
    },
  }
  return { source, requested }
}

async function readAll(source: WindowSource<Record>, length: number, ahead = 3): Promise<Record[]> {
  const read: Record[] = []
  let next = 0
  const options = { ahead, stop: new AbortController().signal }
  const reading = { source, read: { from: 0, to: length } } as PlannedSlice
  for await (const { records, slice } of orderedWindows([reading], options)) {
    expect(slice.from).toBe(next)
    next = slice.to
    read.push(...records)
  }
  expect(next).toBe(length)
  return read
}

const expected = (counts: readonly number[]): Record[] =>
  counts.flatMap((count, at) => Array.from({ length: count }, (_, place) => ({ at, place })))

describe('windows with more records than a source returns at once', () => {
  test('do not affect windows of other sources', async () => {
    const crowded = sourceOf([5, 5, 5, 5], 8)
    const others = [1, 2, 3].map(() => sourceOf([1, 0, 1, 0], 8))
    const readings = [crowded, ...others].map(({ source }) => ({ source, read: { from: 0, to: 4 } }) as PlannedSlice)
    const read: Record[] = []
    const options = { ahead: 4, stop: new AbortController().signal }
    for await (const { records } of orderedWindows(readings, options)) read.push(...records)
    expect(read).toEqual(
      [5, 5, 5, 5]
        .flatMap((count, at) => expected([count]).map(({ place }) => ({ at, place })))
        .concat(others.flatMap(() => expected([1, 0, 1, 0]))),
    )
    expect(others.map(({ requested }) => requested)).toEqual([[4], [4], [4]])
  })

  test('are split until the source returns each part, and later windows are requested again', async () => {
    const counts = [0, 0, 9, 0, 1, 7, 0, 0, 30, 0]
    const { source, requested } = sourceOf(counts, 8, { size: 5 })
    expect(await readAll(source, counts.length)).toEqual(expected(counts))
    expect(requested.filter((length) => length === 5).length).toBeGreaterThan(1)
    expect(Math.min(...requested)).toBe(1)
  })

  test('yield every record once and in order, however the source answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constant(0), fc.nat(12)), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 6 }),
        async (counts, most, size, ahead) => {
          let requested = 0
          const { source } = sourceOf(counts, most, { size, waitMs: () => [3, 0, 1][requested++ % 3]! })
          expect(await readAll(source, counts.length, ahead)).toEqual(expected(counts))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('fail with the error of the source when they cannot be shorter, and on any other error', async () => {
    const failing: WindowSource<Record> = {
      windowSize: () => 4,
      window: async (from) => Promise.reject(windowTooLarge('Even one is too much.', { from })),
    }
    await expect(readAll(failing, 8)).rejects.toThrow('Even one is too much.')
    const broken: WindowSource<Record> = {
      windowSize: () => 4,
      window: async () => Promise.reject(new Error('The source is broken.')),
    }
    await expect(readAll(broken, 8)).rejects.toThrow('The source is broken.')
  })
})
