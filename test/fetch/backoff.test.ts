import { expect, test } from 'vitest'
import { backoffMs, retryAfterMs } from '../../src/fetch/backoff.ts'

test('the backoff bound doubles with each failure up to a maximum, and the wait is a random part of it', () => {
  const bounds = [1, 2, 3, 4, 5, 9000].map((failures) => backoffMs(failures, { baseMs: 100, maxMs: 1000 }, () => 1))
  expect(bounds).toEqual([100, 200, 400, 800, 1000, 1000])
  expect(backoffMs(3, { baseMs: 100, maxMs: 1000 }, () => 0)).toBe(0)
})

test.each([
  ['120', 120_000],
  [' 3 ', 3000],
  ['1.5', 1500],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 7000],
  ['Sun Nov  6 08:49:37 1994', 7000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ['1000000000', 86_400_000],
  ['9'.repeat(400), 86_400_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ['-1', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('a Retry-After header of %j is read as the right wait', (header, expected) => {
  expect(retryAfterMs(header, Date.UTC(1994, 10, 6, 8, 49, 30))).toBe(expected)
})
