import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatSeconds, textTable } from '../../../src/cli/terminal/format.ts'

test('counts have thousands separators', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect(formatCount(18446744073709551615n)).toBe('18,446,744,073,709,551,615')
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_999, '1.0 MB'],
  [12_345_678, '12.3 MB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test.each([
  [0.04, '0.0 s'],
  [4.21, '4.2 s'],
  [59.6, '1 min 00 s'],
  [185, '3 min 05 s'],
  [7_800, '2 h 10 min'],
  [273_600, '3 d 4 h'],
])('%d seconds are %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text))

test('tables are aligned, with numbers to the right and no trailing spaces', () => {
  expect(
    textTable(
      ['name', '>rows'],
      [
        ['a', '1'],
        ['longer', '1,234'],
      ],
    ),
  ).toBe(['name     rows', 'a           1', 'longer  1,234'].join('\n'))
})
