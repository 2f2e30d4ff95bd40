import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../devnet/service/plumbing/error.ts'
import { createLimits, type Limits } from '../../../devnet/service/plumbing/limits.ts'
import { between } from '../../../devnet/service/plumbing/route.ts'

function refusal(limits: Limits, units: number, key?: string, host: 'data' | 'metrics' = 'data'): ServiceError | null {
  try {
    limits.spend(host, key === undefined ? {} : { 'x-service-api-key': key }, units)
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

describe('rate limits', () => {
  test('do not exist by default', () => {
    expect(createLimits({}).spend('data', {}, 1e9)).toEqual({})
  })

  test('count units per window and host, and a refusal has the time to retry', () => {
    const clock = { now: 500 }
    const limits = createLimits({ unitsPerMinute: 100 }, () => clock.now)
    expect(refusal(limits, 100)).toBeNull()
    expect(refusal(limits, 100, undefined, 'metrics')).toBeNull()
    clock.now = 20_500
    expect(refusal(limits, 1)).toMatchObject({ status: 429, headers: { 'retry-after': '40', 'ratelimit-reset': '40' } })
    expect(refusal(limits, 1)?.headers['ratelimit-limit']).toBeUndefined()
    clock.now = 60_500
    expect(refusal(limits, 100)).toBeNull()
    expect(refusal(limits, 1)).toMatchObject({ status: 429 })
  })

  test('are separate for a key, and its responses have them in headers', () => {
    const limits = createLimits(
      { unitsPerMinute: 10, keys: { good: 300 }, revokedKeys: ['old'], windowMs: 1_000 },
      () => 0,
    )
    const headers = { 'x-service-api-key': 'good' }
    expect(limits.spend('data', headers, 5)).toEqual({
      'ratelimit-policy': '5;w=1',
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
    })
    expect(refusal(limits, 1, 'good')?.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '1' })
    expect(refusal(limits, 0, 'bad')).toMatchObject({ status: 401 })
    expect(refusal(limits, 0, 'old')).toMatchObject({ status: 403 })
    expect(refusal(limits, 0, 'bad', 'metrics')).toBeNull()
  })

  test('can have the retry time as a date, and have no policy header for a window of 1.5 seconds', () => {
    const now = Date.parse('2025-11-21T10:00:00.400Z')
    const limits = createLimits({ keys: { good: 600 }, windowMs: 1_500, retryAfter: 'date' }, () => now)
    expect(refusal(limits, 15, 'good')).toBeNull()
    expect(refusal(limits, 1, 'good')?.headers).toEqual({
      'ratelimit-limit': '15',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '2',
      'retry-after': 'Fri, 21 Nov 2025 10:00:02 GMT',
    })
  })

  test('can change while the service runs', () => {
    const limits = createLimits({ unitsPerMinute: 10, keys: { good: 300 } }, () => 0)
    limits.setUnitsPerMinute(20)
    expect(refusal(limits, 20)).toBeNull()
    expect(refusal(limits, 21, 'good')).toMatchObject({ status: 429 })
    expect(refusal(limits, 1)).toMatchObject({ status: 429 })
  })
})

test('time bounds are inclusive or exclusive', () => {
  const times = [1, 2, 3, 4]
  const within = (bounds: 'inclusive' | 'exclusive', start?: number, end?: number) =>
    times.filter(between({ dialect: 'node', bounds }, start, end))
  expect(within('inclusive', 2, 3)).toEqual([2, 3])
  expect(within('exclusive', 1, 3)).toEqual([2])
  expect(within('exclusive')).toEqual(times)
  expect(within('inclusive', 3)).toEqual([3, 4])
})
