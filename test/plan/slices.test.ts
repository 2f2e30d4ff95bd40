import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, DefinitionError } from '../../src/errors.ts'
import type { Slice, Stream } from '../../src/model.ts'
import { estimate, missingCount, planSlices, slicesOfPlan } from '../../src/plan/intervals.ts'
import { runs } from '../runs.ts'

const stream: Stream = { network: 'local', path: 'P/block', parameters: {} }
const allUnits = (request: Parameters<typeof planSlices>[0]) => [...slicesOfPlan(planSlices(request))]
const plan = (wanted: Slice, unit: number, coverage: Record<string, Slice[]>, tables = ['a', 'b']) =>
  allUnits({ stream, wanted, unit, coverage: new Map(Object.entries(coverage)), tables }).map(
    ({ slice, tables: names }) => [slice.from, slice.to, names.join('')],
  )

describe('planSlices', () => {
  test('cuts at multiples of the unit size, counted from 0', () => {
    expect(plan({ from: 3, to: 25 }, 10, {})).toEqual([
      [3, 10, 'ab'],
      [10, 20, 'ab'],
      [20, 25, 'ab'],
    ])
  })

  test('cuts where the set of tables with a gap changes, and fetches a covered range again for a new table', () => {
    expect(plan({ from: 0, to: 20 }, 10, { a: [{ from: 0, to: 5 }], b: [{ from: 3, to: 12 }] })).toEqual([
      [0, 3, 'b'],
      [5, 10, 'a'],
      [10, 12, 'a'],
      [12, 20, 'ab'],
    ])
    expect(plan({ from: 0, to: 15 }, 10, { a: [{ from: 0, to: 15 }] })).toEqual([
      [0, 10, 'b'],
      [10, 15, 'b'],
    ])
  })

  test('returns no units when nothing is missing or nothing is requested', () => {
    expect(
      plan(
        { from: 0, to: 15 },
        10,
        {
          a: [
            { from: 0, to: 8 },
            { from: 8, to: 15 },
          ],
        },
        ['a'],
      ),
    ).toEqual([])
    expect(plan({ from: 7, to: 7 }, 10, {})).toEqual([])
    expect(plan({ from: 9, to: 7 }, 10, {})).toEqual([])
    expect(plan({ from: 0, to: 9 }, 10, {}, [])).toEqual([])
  })

  test('skips a long covered range in one step', () => {
    const last = 2 ** 52
    expect(plan({ from: 0, to: last }, 65_536, { a: [{ from: 1, to: last - 1 }] }, ['a'])).toEqual([
      [0, 1, 'a'],
      [last - 1, last, 'a'],
    ])
  })

  test('agrees with a naive model that checks every integer', () => {
    const slice = fc
      .tuple(fc.nat(60), fc.nat(60))
      .map(([x, y]): Slice => ({ from: Math.min(x, y), to: Math.max(x, y) }))
    const tables = ['a', 'b', 'c']
    const coverages = fc.tuple(...tables.map(() => fc.array(slice, { maxLength: 5 })))
    fc.assert(
      fc.property(slice, fc.integer({ min: 1, max: 30 }), coverages, (wanted, unit, covered) => {
        const coverage = new Map(tables.map((table, i) => [table, covered[i]!]))
        const missing = (index: number) =>
          tables.filter((table) => !coverage.get(table)!.some(({ from, to }) => from <= index && index < to))
        const expected: { slice: { from: number; to: number }; tables: string[] }[] = []
        for (let index = wanted.from; index < wanted.to; index++) {
          const names = missing(index)
          if (names.length === 0) continue
          const last = expected.at(-1)
          const joins = last?.slice.to === index && index % unit !== 0 && last.tables.join() === names.join()
          if (joins) last.slice.to = index + 1
          else expected.push({ slice: { from: index, to: index + 1 }, tables: names })
        }
        const units = allUnits({ stream, wanted, unit, coverage, tables })
        expect(units).toEqual(expected.map((one) => ({ stream, ...one })))
        const planned = planSlices({ stream, wanted, unit, coverage, tables })
        const length = (of: typeof units) => of.reduce((sum, { slice }) => sum + slice.to - slice.from, 0)
        const requests = units.reduce((sum, { slice }) => sum + Math.ceil((slice.to - slice.from) / 7), 0)
        expect(estimate(planned, 7)).toEqual({ units: units.length, requests, records: length(units) })
        for (const table of tables)
          expect(missingCount(planned, table)).toBe(length(units.filter((one) => one.tables.includes(table))))
      }),
      { numRuns: runs(500) },
    )
  })

  test('refuses an invalid unit size or range', () => {
    for (const unit of [0, -1, 1.5, Number.NaN])
      expect(() => plan({ from: 0, to: 5 }, unit, {})).toThrow(DefinitionError)
    for (const wanted of [
      { from: -1, to: 5 },
      { from: 0, to: Number.NaN },
      { from: 0.5, to: 2 },
    ])
      expect(() => plan(wanted, 10, {})).toThrow(ConfigError)
  })
})

test('estimate counts units, records, and requests that do not span two units', () => {
  const wanted = { from: 1000, to: 5000 }
  const planned = planSlices({ stream, wanted, unit: 2500, coverage: new Map(), tables: ['a'] })
  expect(estimate(planned, 1024)).toEqual({ units: 2, requests: 2 + 3, records: 4000 })
  const none = planSlices({ stream, wanted: { from: 9, to: 9 }, unit: 2500, coverage: new Map(), tables: ['a'] })
  expect(estimate(none, 1024)).toEqual({ units: 0, requests: 0, records: 0 })
})

test.each([32_768, 1])('a range up to the largest safe integer is planned at once, in units of %i', (unit) => {
  const wanted = { from: 0, to: Number.MAX_SAFE_INTEGER }
  const coverage = new Map([['a', [{ from: 10, to: 20 }]]])
  const planned = planSlices({ stream, wanted, unit, coverage, tables: ['a'] })
  const { units, records } = estimate(planned, 1024)
  expect(records).toBe(Number.MAX_SAFE_INTEGER - 10)
  expect(units).toBe(unit === 1 ? records : 2 ** 38 + 1)
  const first = slicesOfPlan(planned).next().value
  expect(first).toMatchObject({ slice: { from: 0, to: Math.min(unit, 10) } })
  const end = planSlices({ stream, wanted: { ...wanted, from: wanted.to - 3 }, unit, coverage, tables: ['a'] })
  expect([...slicesOfPlan(end)].at(-1)?.slice.to).toBe(wanted.to)
})
