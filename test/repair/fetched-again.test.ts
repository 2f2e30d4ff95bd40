import { expect, test } from 'vitest'
import type { CoverageRow, Inventory } from '../../src/catalog/catalog.ts'
import { fetchedAgain } from '../../src/repair/repair-lake.ts'

const covered = (stream: string, table: string, from: number, to: number) =>
  ({ stream, table, slice: { from, to } }) as CoverageRow
const inventory = {
  coverage: [
    covered('n/a', 't', 0, 50),
    covered('n/a', 't', 60, 100),
    covered('n/a', 'u', 0, 100),
    covered('n/b', 't', 5, 10),
  ],
  streams: new Map([['n/a', { stream: 'n/a', unit: 'containers' }]]),
} as unknown as Inventory

const cut = (stream: string, table: string, from: number, to: number) => ({ stream, table, slice: { from, to } })
const again = (...cuts: ReturnType<typeof cut>[]) => fetchedAgain(inventory, { files: [], cuts, lists: [], lost: [] })

test('overlapping cuts are one range, and only what the lake covers is fetched again', () => {
  expect(again(cut('n/a', 't', 10, 20), cut('n/a', 't', 0, 12), cut('n/a', 't', 40, Number.MAX_SAFE_INTEGER))).toEqual([
    {
      stream: 'n/a',
      unit: 'containers',
      tables: ['t'],
      slices: [
        { from: 0, to: 20 },
        { from: 40, to: 50 },
        { from: 60, to: 100 },
      ],
      covered: 90,
    },
  ])
})

test('tables of a stream with the same ranges are together, and streams are in order', () => {
  const whole = { from: 0, to: 100 }
  const both = fetchedAgain(
    { ...inventory, coverage: [covered('n/a', 't', 0, 100), covered('n/a', 'u', 0, 100), covered('n/b', 't', 5, 10)] },
    {
      files: [],
      cuts: [cut('n/b', 't', 0, 7), cut('n/a', 'u', 0, 100), cut('n/a', 't', 0, 60), cut('n/a', 't', 40, 100)],
      lists: [],
      lost: [],
    },
  )
  expect(both).toEqual([
    { stream: 'n/a', unit: 'containers', tables: ['u', 't'], slices: [whole], covered: 100 },
    { stream: 'n/b', unit: 'records', tables: ['t'], slices: [{ from: 5, to: 7 }], covered: 5 },
  ])
})

test('a range that the lake does not cover is not fetched again', () => {
  expect(again(cut('n/a', 't', 50, 60), cut('n/c', 't', 0, 9))).toEqual([])
})
