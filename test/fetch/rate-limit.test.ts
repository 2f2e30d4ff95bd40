import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRateLimit, type RateLimit } from '../../src/fetch/limits.ts'

describe('the rate limit', () => {
  let limit: RateLimit
  beforeEach(() => {
    vi.useFakeTimers()
    // Two units per second, at most 2.4 units at once.
    limit = createRateLimit({ unitsPerMinute: 126.3158, now: Date.now })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Names of the callers that the limit has granted, in order. */
  function ask(...waiters: [name: string, units: number, signal?: AbortSignal][]): string[] {
    const granted: string[] = []
    for (const [name, units, signal] of waiters)
      limit.acquire(units, signal).then(
        () => granted.push(name),
        (reason: Error) => granted.push(`${name} ${reason.message}`),
      )
    return granted
  }

  test('grants units in the order of the calls; a large request goes into debt, and small ones do not overtake', async () => {
    const granted = ask(['a', 3], ['large', 20], ['b', 1], ['c', 1])
    await vi.advanceTimersByTimeAsync(0)
    expect(granted).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(500)
    expect(granted).toEqual(['a', 'large'])
    await vi.advanceTimersByTimeAsync(9000)
    expect(granted).toEqual(['a', 'large'])
    await vi.advanceTimersByTimeAsync(2000)
    expect(granted).toEqual(['a', 'large', 'b', 'c'])
  })

  test('keeps one timer, however many callers wait', async () => {
    ask(['a', 20], ...Array.from({ length: 50 }, (_, index): [string, number] => [String(index), 10]))
    await vi.advanceTimersByTimeAsync(10)
    expect(vi.getTimerCount()).toBe(1)
  })

  test('fails an aborted caller with the reason of its signal and then grants the next one', async () => {
    const stop = new AbortController()
    const granted = ask(['a', 20], ['b', 2, stop.signal], ['c', 2])
    setTimeout(() => stop.abort(new Error('stopped')), 500)
    await vi.advanceTimersByTimeAsync(1000)
    expect(granted).toEqual(['a', 'b stopped'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(granted).toEqual(['a', 'b stopped', 'c'])
    await expect(limit.acquire(1, AbortSignal.abort(new Error('never')))).rejects.toThrow('never')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('grants one request after a refusal, and the others only when that one is answered', async () => {
    limit = createRateLimit({ unitsPerMinute: null, now: Date.now })
    const first = await limit.acquire(1)
    limit.report(first, { status: 429, headers: { 'retry-after': '10' } })
    const granted: string[] = []
    const probe = limit.acquire(1)
    limit.acquire(1).then(() => granted.push('b'))
    await vi.advanceTimersByTimeAsync(9900)
    probe.then(() => granted.push('a'))
    await vi.advanceTimersByTimeAsync(0)
    expect(granted).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(granted).toEqual(['a'])
    limit.report(await probe, { status: 200, headers: {} })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(granted).toEqual(['a', 'b'])
  })

  test('holds up a request without cost after a refusal, too', async () => {
    limit = createRateLimit({ unitsPerMinute: null, now: Date.now })
    const first = await limit.acquire(1)
    limit.report(first, { status: 429, headers: { 'retry-after': '10' } })
    const granted = ask(['free', 0])
    await vi.advanceTimersByTimeAsync(9900)
    expect(granted).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(granted).toEqual(['free'])
  })
})
