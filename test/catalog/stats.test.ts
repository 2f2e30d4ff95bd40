import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ColumnStats, compareBounds, mergeStats, noValues, statsOfLeaf } from '../../src/catalog/add-files.ts'
import { timestampText } from '../../src/write/footer.ts'

describe('the comparison of bounds', () => {
  test('compares numbers as numbers', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        const expected = a < b ? -1 : a > b ? 1 : 0
        expect(compareBounds('int64', String(a), String(b))).toBe(expected)
        expect(compareBounds('decimal(38,0)', String(a), String(b))).toBe(expected)
      }),
    )
    expect(compareBounds('float64', '9.5', '10')).toBe(-1)
  })

  test('compares times as times', () => {
    const time = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n })
    fc.assert(
      fc.property(time, time, (a, b) => {
        expect(compareBounds('timestamptz', timestampText(a), timestampText(b))).toBe(a < b ? -1 : a > b ? 1 : 0)
      }),
    )
    expect(() => compareBounds('timestamptz', 'yesterday', '2026-01-01 00:00:00+00')).toThrow('not a valid time')
  })

  test('compares texts by their bytes, not by UTF-16 code units', () => {
    expect(compareBounds('varchar', '\uffff', '\u{10000}')).toBe(-1)
    expect(compareBounds('blob', '7A', '7AAA')).toBe(-1)
  })
})

describe('merged statistics', () => {
  const stats: fc.Arbitrary<ColumnStats> = fc
    .record({ containsNull: fc.boolean(), values: fc.array(fc.bigInt(), { maxLength: 3 }), known: fc.boolean() })
    .map(({ containsNull, values, known }) => {
      const sorted = values.sort((a, b) => (a < b ? -1 : 1)).map(String)
      if (sorted.length === 0) return { ...noValues, containsNull }
      return known
        ? { containsNull, known, min: sorted[0] ?? null, max: sorted.at(-1) ?? null }
        : { containsNull, known, min: null, max: null }
    })

  test('do not depend on order or grouping', () => {
    const merge = (a: ColumnStats, b: ColumnStats) => mergeStats('int64', a, b)
    fc.assert(
      fc.property(stats, stats, stats, (a, b, c) => {
        expect(merge(a, b)).toEqual(merge(b, a))
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
        expect(merge(a, noValues)).toEqual(a)
      }),
    )
  })

  test('distinguish no values from unknown bounds', () => {
    const leaf = { fieldId: 1, columnBytes: 1, valueCount: 5, min: null, max: null }
    expect(statsOfLeaf({ ...leaf, nullCount: 5 })).toEqual({ containsNull: true, min: null, max: null, known: true })
    expect(statsOfLeaf({ ...leaf, nullCount: 4 })).toEqual({ containsNull: true, min: null, max: null, known: false })
    // A single bound does not count as known statistics.
    expect(statsOfLeaf({ ...leaf, nullCount: 0, min: '1' }).known).toBe(false)
  })
})
