import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeAfter } from '../../../src/run/lists/list-times.ts'
import { runs } from '../../runs.ts'

const seconds = (text: string) => Date.parse(text) / 1000

test.each([
  ['2024-01-01T00:00:00Z', 1, '2024-02-01T00:00:00Z'],
  ['2024-03-01T00:00:00Z', -3, '2023-12-01T00:00:00Z'],
  ['2024-01-31T12:34:56Z', 1, '2024-02-29T12:34:56Z'],
  ['2023-12-31T23:59:59Z', 2, '2024-02-29T23:59:59Z'],
])('%s and %i months is %s', (time, count, after) => {
  expect(timeAfter(seconds(time), 'month', count)).toBe(seconds(after))
})

test('intervals of seconds have no calendar', () => {
  expect(timeAfter(100, 3600, -2)).toBe(100 - 7200)
})

test('the first days of months follow one another in both directions', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: -200, max: 200 }), (month, count) => {
      const first = Date.UTC(1990, month) / 1000
      expect(timeAfter(first, 'month', count)).toBe(Date.UTC(1990, month + count) / 1000)
      expect(timeAfter(timeAfter(first, 'month', count), 'month', -count)).toBe(first)
    }),
    { numRuns: runs(200) },
  )
})
