import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { singleValue } from '../../src/iceberg/schema.ts'
import { timestampText } from '../../src/write/footer.ts'
import { runs } from '../runs.ts'
import { unicodeText } from './unicode-text.ts'

describe('a value has the bytes of the specification', () => {
  test.each([
    ['boolean', '0', '00'],
    ['boolean', '1', '01'],
    ['long', '34', '2200000000000000'],
    ['long', '-1', 'ffffffffffffffff'],
    ['timestamptz', '2017-11-16 22:31:08.123456+00', '40a5282d215e0500'],
    ['timestamptz', '1969-12-31 23:59:59.999999+00', 'ffffffffffffffff'],
    ['string', 'iceberg', '69636562657267'],
    ['string', '', ''],
    ['binary', '00FF', '00ff'],
    ['decimal(20, 0)', '0', '00'],
    ['decimal(20, 0)', '127', '7f'],
    ['decimal(20, 0)', '128', '0080'],
    ['decimal(20, 0)', '-128', '80'],
    ['decimal(20, 0)', '-129', 'ff7f'],
    ['decimal(20, 0)', '18446744073709551615', '00ffffffffffffffff'],
  ])('%s %s', (type, text, hex) => {
    expect(singleValue(type, text)?.toString('hex')).toBe(hex)
  })
})

test('invalid values, doubles and unknown types have no bytes', () => {
  for (const [type, text] of [
    ['long', '9223372036854775808'],
    ['long', '1.5'],
    ['long', ''],
    ['boolean', 'true'],
    ['binary', 'ABC'],
    ['decimal(20, 0)', '100000000000000000000'],
    ['decimal(38, 0)', '1e3'],
    ['decimal(20, 2)', '100'],
    ['timestamptz', '2024-13-15 00:00:00+00'],
    ['timestamptz', '2024-01-15 00:00:00+01'],
    ['timestamptz', '12024-01-15 00:00:00+00'],
    ['timestamptz', '0044-03-15 00:00:00+00 (BC)'],
    ['double', '1.5'],
    ['uuid', 'a'],
  ] as const)
    expect([type, text, singleValue(type, text)]).toEqual([type, text, null])
})

describe('the bytes of any value can be read back', () => {
  test('as longs and times', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(singleValue('long', String(value))?.readBigInt64LE()).toBe(value)
      }),
      { numRuns: runs(200) },
    )
    const [first, last] = [-62_135_596_800_000_000n, 253_402_300_799_999_999n]
    fc.assert(
      fc.property(fc.bigInt({ min: first, max: last }), (value) => {
        expect(singleValue('timestamptz', timestampText(value))?.readBigInt64LE()).toBe(value)
      }),
      { numRuns: runs(200) },
    )
  })

  test('as decimals, in the fewest possible bytes', () => {
    const limit = 10n ** 38n - 1n
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit }), (value) => {
        const bytes = singleValue('decimal(38, 0)', String(value)) ?? Buffer.alloc(0)
        const read = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
        const signed = (bytes[0] ?? 0) >= 128 ? read - 256n ** BigInt(bytes.length) : read
        expect(signed).toBe(value)
        const [first = 0, second = 0] = bytes
        const isPadded = bytes.length > 1 && ((first === 0 && second < 128) || (first === 255 && second >= 128))
        expect(isPadded).toBe(false)
      }),
      { numRuns: runs(300) },
    )
  })

  test('as texts, in the same order', () => {
    const text = unicodeText
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [first, second] = [singleValue('string', a), singleValue('string', b)].map(
          (bytes) => bytes ?? Buffer.alloc(0),
        )
        expect(first?.toString()).toBe(a)
        const points = (each: string) => [...each].map((char) => char.codePointAt(0) ?? 0)
        expect(Math.sign(Buffer.compare(first ?? Buffer.alloc(0), second ?? Buffer.alloc(0)))).toBe(
          order(points(a), points(b)),
        )
      }),
      { numRuns: runs(200) },
    )
  })
})

function order(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) if (value !== b[at]) return value < (b[at] ?? -1) ? -1 : 1
  return a.length === b.length ? 0 : -1
}
