import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evmLogs, evmTransactions } from '../../../schemas/evm-blocks.ts'
import { xTransactions } from '../../../schemas/x-chain.ts'
import { type Table, t } from '../../../src/define/index.ts'
import type { LakeRows } from '../../../src/verify/lake.ts'
import { placeAmong, rowParts } from '../../../src/verify/lake.ts'
import { windowCutter } from '../../../src/verify/streams.ts'

type File = { readonly id: number; readonly rows: number; readonly bounds: { from: number; to: number } | null }

/** A lake in which every table has these files. */
function lakeOf(files: readonly File[]): LakeRows {
  const within = ({ bounds }: File, from: number, to: number) =>
    bounds === null || (bounds.from <= to && bounds.to >= from)
  return {
    filesOf: () => files,
    boundedFiles: async () => files.map((file) => ({ file, bounds: file.bounds })),
    filesBetween: async (_: Table, __: string, { from, to }: { from: number; to: number }) =>
      files.filter((file) => within(file, from, to)),
  } as unknown as LakeRows
}

const file = fc
  .record({ from: fc.nat(1e6), length: fc.integer({ min: 5000, max: 1e5 }), rows: fc.integer({ min: 1, max: 5000 }) })
  .map(({ from, length, rows }) => ({ rows, bounds: { from, to: from + length - 1 } }))
const lakes = fc
  .array(fc.oneof({ arbitrary: file, weight: 9 }, { arbitrary: fc.constant({ rows: 10, bounds: null }), weight: 1 }))
  .map((files) => files.map((each, id) => ({ id, ...each })))

const rangeOf = (condition: string) => ({
  from: Number(/>= (\d+)/.exec(condition)?.[1] ?? Number.NEGATIVE_INFINITY),
  to: Number(/< (\d+)/.exec(condition)?.[1] ?? Number.POSITIVE_INFINITY),
})

test('each block is in exactly one part, and the part reads every file that may hold the block', async () => {
  await fc.assert(
    fc.asyncProperty(lakes, async (files) => {
      const parts = await rowParts(lakeOf(files), [evmLogs], { place: 'block_number', rowsAtOnce: 1000 })
      const ranges = parts.map(({ condition }) => rangeOf(condition([])))
      expect(ranges[0]?.from).toBe(Number.NEGATIVE_INFINITY)
      expect(ranges.at(-1)?.to).toBe(Number.POSITIVE_INFINITY)
      for (const [at, { to }] of ranges.entries()) {
        expect(ranges[at + 1]?.from ?? to).toBe(to)
        expect(ranges[at]!.from).toBeLessThan(to)
      }
      for (const [at, { filesOf }] of parts.entries()) {
        const { from, to } = ranges[at]!
        expect(await filesOf(evmLogs)).toEqual(await lakeOf(files).filesBetween(evmLogs, '', { from, to: to - 1 }))
      }
    }),
  )
})

test('a part has about as many rows as wanted, wherever the rows are', async () => {
  await fc.assert(
    fc.asyncProperty(lakes, async (files) => {
      const parts = await rowParts(lakeOf(files), [evmLogs], { place: 'block_number', rowsAtOnce: 1000 })
      for (const { condition } of parts) {
        const range = rangeOf(condition([]))
        const rows = files.reduce(
          (sum, { rows, bounds }) => sum + (bounds === null ? 0 : shareOf(bounds, range) * rows),
          0,
        )
        const crowded = files.filter(({ bounds }) => bounds !== null && shareOf(bounds, range) > 0).length
        // Each file may have a quarter of a part more than it is assumed to have.
        expect(rows).toBeLessThanOrEqual(1000 + 250 * (crowded + 1))
      }
    }),
  )
})

function shareOf(bounds: { from: number; to: number }, range: { from: number; to: number }): number {
  const both = Math.min(bounds.to + 1, range.to) - Math.max(bounds.from, range.from)
  return Math.max(0, both) / (bounds.to - bounds.from + 1)
}

test('a window has few rows, also where blocks have more than elsewhere', async () => {
  const files = [
    { id: 0, rows: 1_000, bounds: { from: 0, to: 999_999 } },
    { id: 1, rows: 1_000_000, bounds: { from: 1_000_000, to: 1_000_999 } },
  ]
  const cut = await windowCutter(lakeOf(files), [evmLogs])
  const windows = [...cut({ from: 5, to: 1_001_000 })]
  expect([windows[0]?.from, windows.at(-1)?.to]).toEqual([5, 1_001_000])
  expect(windows.slice(1).map(({ from }) => from)).toEqual(windows.slice(0, -1).map(({ to }) => to))
  const rowsOf = (window: { from: number; to: number }) =>
    files.reduce((sum, { rows, bounds }) => sum + shareOf(bounds, window) * rows, 0)
  expect(Math.max(...windows.map(rowsOf))).toBeLessThanOrEqual(40_000)
})

test('without a place, a part is what has the same remainder of a hash', async () => {
  const files = [{ id: 0, rows: 2500, bounds: null }]
  const parts = await rowParts(lakeOf(files), [evmLogs], { place: null, rowsAtOnce: 1000 })
  expect(parts.map(({ condition }) => condition(['a', 'b']))).toEqual([0, 1, 2].map((at) => `hash(a, b) % 3 = ${at}`))
  expect(await parts[2]?.filesOf(evmLogs)).toEqual(files)
})

test('a column is a place only if it is shared, never null and a whole number', () => {
  expect(placeAmong(['network', 'block_number'], [evmLogs, evmTransactions])).toBe('block_number')
  expect(placeAmong(['network', 'tx_id'], [xTransactions])).toBeNull()
  expect(placeAmong(['network', 'height'], [xTransactions])).toBeNull()
  const texts = { columns: { height: t.text('A height in words.') } } as unknown as Table
  expect(placeAmong(['height'], [texts])).toBeNull()
})
