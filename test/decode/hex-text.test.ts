import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, isHex, isLowerHex, lowerHex, shortNumber } from '../../src/decode/values.ts'
import { runs } from '../runs.ts'

const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), maxLength: 20 })
const nearly = fc.string({ unit: fc.constantFrom(...'09afAFgG/:@`xX -.\u0130\u0161\u{1f600}'), maxLength: 20 })
const text = fc
  .tuple(fc.constantFrom('0x', '0X', '0', 'x', ''), fc.oneof(digits, nearly))
  .map((parts) => parts.join(''))

test('the functions for hex texts agree with regular expressions on any text', () => {
  fc.assert(
    fc.property(text, (value) => {
      const isLower = /^0x[0-9a-f]+$/.test(value)
      expect(isLowerHex(value)).toBe(isLower)
      expect(isHex(value)).toBe(/^0x[0-9a-f]+$/i.test(value))
      expect(shortNumber(value)).toBe(isLower && value.length <= 15 ? Number(value) : -1)
      expect(lowerHex(value, 8)).toBe(/^0x[0-9a-f]{8}$/i.test(value) ? value.toLowerCase() : null)
      expect(bytesOf(value)).toEqual(
        /^0x([0-9a-f]{2})*$/i.test(value) && value[1] === 'x' ? Buffer.from(value.slice(2), 'hex') : null,
      )
    }),
    { numRuns: runs(500) },
  )
})

test('the functions for hex texts reject values that are not texts', () => {
  for (const value of [undefined, null, 17, 17n, {}, ['0x11']]) {
    expect(isHex(value)).toBe(false)
    expect(shortNumber(value)).toBe(-1)
    expect(lowerHex(value, 2)).toBeNull()
    expect(bytesOf(value)).toBeNull()
  }
  expect(bytesOf('0x\u0130\u0161')).toBeNull()
  expect(shortNumber('0xfffffffffffff')).toBe(2 ** 52 - 1)
})
