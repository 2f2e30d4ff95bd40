import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellText, plainText, shortText, timeText, wholeText } from '../../src/report/page/cell-text.ts'
import { runs } from '../runs.ts'

test('whole numbers of any size are shown to the last digit', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      fc.integer({ min: 0, max: 18 }),
      (value, decimals) => {
        const [whole = '', fraction = ''] = wholeText(String(value), decimals).replaceAll(',', '').split('.')
        expect(BigInt(`${whole}${fraction.padEnd(decimals, '0')}`)).toBe(value)
      },
    ),
    { numRuns: runs(300) },
  )
  expect(wholeText('9007199254740993')).toBe('9,007,199,254,740,993')
  expect(wholeText('1', 9)).toBe('0.000000001')
  expect(wholeText('-1500', 3)).toBe('-1.5')
})

test('times omit trailing zeros only', () => {
  expect(timeText('2025-11-01T20:53:03.670000')).toBe('2025-11-01 20:53:03.67')
  expect(timeText('2025-11-01T20:00:00.000000Z')).toBe('2025-11-01 20:00:00')
})

test('numbers are grouped by thousands, and null is empty', () => {
  const number = { name: 'n', kind: { as: 'number' } } as const
  expect(cellText(1234.5, number)).toBe('1,234.5')
  expect(cellText(1e21, number)).toBe('1e+21')
  expect(cellText(null, number)).toBe('')
})

test('text in charts has no bidirectional or control characters and is cut between characters', () => {
  expect(plainText('a\u202eb\u2028c\u0000')).toBe('a\ufffdb\ufffdc\ufffd')
  expect(plainText('مرحبا')).toBe('مرحبا')
  expect(plainText(`z${'\u0351'.repeat(40)}`)).toBe('z\u0351\u0351')
  expect(shortText('0x0123456789abcdef', 10)).toBe('0x0123…def')
  expect([...shortText('😀'.repeat(50), 9)]).toHaveLength(9)
})
