import { expect, test, vi } from 'vitest'
import { backoffMs, retryAfterMs, saidWaitMs } from '../../src/fetch/waits.ts'

test('the backoff bound doubles with each failure up to a maximum, and the wait is a random part of it', () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const waits = [1, 2, 3, 4, 5, 9000].map((failures) => backoffMs(failures, { baseMs: 100, maxMs: 1000 }))
  random.mockRestore()
  expect(waits).toEqual([50, 100, 200, 400, 500, 500])
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

test.each<[unknown, number | undefined]>([
  ['rate limited, try again in 1.2 s', 1200],
  ['try again in 577.9ms', 577.9],
  ['Please retry after 30 seconds', 30_000],
  ['retry in 1m30s', 90_000],
  ['wait 2 minutes', 120_000],
  ['retry after 5', 5000],
  [['no', { rate: { backoff_seconds: 30 } }], 30_000],
  [{ retry_after_ms: 250 }, 250],
  [{ data: { try_again_in: '2s' } }, 2000],
  ['try again in 3 weeks, or never', undefined],
  ['try again later', undefined],
  ['15/second request limit reached', undefined],
  [null, undefined],
  ['retry in 900 hours', 86_400_000],
])('an error says how long to wait: %j', (said, expected) => {
  expect(saidWaitMs(said)).toBe(expected)
})
