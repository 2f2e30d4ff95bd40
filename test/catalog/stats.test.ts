import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareBounds, mergedStats } from '../../src/catalog/add-files.ts'
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
  const file = fc
    .record({ nullCount: fc.nat(2), values: fc.array(fc.bigInt(), { maxLength: 3 }), known: fc.boolean() })
    .map(({ nullCount, values, known }) => {
      const sorted = values.sort((a, b) => (a < b ? -1 : 1)).map(String)
      const bounds = known ? { min: sorted[0] ?? null, max: sorted.at(-1) ?? null } : { min: null, max: null }
      return { valueCount: values.length + nullCount, nullCount, ...bounds }
    })

  test('do not depend on order or grouping', () => {
    fc.assert(
      fc.property(file, file, file, (a, b, c) => {
        const whole = mergedStats('int64', null, [a, b, c])
        expect(mergedStats('int64', null, [c, a, b])).toEqual(whole)
        const first = mergedStats('int64', null, [a, b])
        // Before its first value, a column is null in all rows: whoever adds the rows knows whether there were any.
        if (first !== null) expect(mergedStats('int64', first, [c])).toEqual(whole)
      }),
    )
  })

  test('distinguish no values from unknown bounds', () => {
    const leaf = { valueCount: 5, min: null, max: null }
    const merged = (...files: Parameters<typeof mergedStats>[2]) => mergedStats('int64', null, files)
    expect(merged({ ...leaf, nullCount: 5 })).toBeNull()
    expect(merged({ ...leaf, nullCount: 4 })).toEqual({ containsNull: true, min: null, max: null })
    // A single bound does not count as known statistics.
    expect(merged({ ...leaf, nullCount: 0, min: '1' })).toEqual({ containsNull: false, min: null, max: null })
  })
})
