import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PostponedError } from '../../src/errors.ts'
import { createRateLimit } from '../../src/fetch/limits.ts'
import { createPatience, type LongWait } from '../../src/fetch/waits.ts'
import { longestTimerMs, pause } from '../../src/lib/wait.ts'

const day = 86_400
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the rate limit', () => {
  const told: LongWait[] = []
  const patienceOf = (maxWaitMs: number) =>
    createPatience({ url: 'http://service/', maxWaitMs, onLongWait: (wait) => told.push(wait) })
  beforeEach(() => {
    told.length = 0
  })

  /** A rate limit that has read one answer with these headers. */
  async function limitTold(headers: Record<string, string>, status = 200) {
    const limit = createRateLimit({ unitsPerMinute: null, now: () => performance.now() })
    const grant = await limit.acquire(100)
    limit.report(grant, { status, headers })
    return limit
  }

  test.each([
    ['a day', String(day)],
    ['ten years', String(10 * 365 * day)],
    ['ten years, as a date', String(Math.round(Date.now() / 1000) + 10 * 365 * day)],
    ['ten years, as a date in milliseconds', String(Date.now() + 10 * 365 * day * 1000)],
  ])('ends at once and sets no timer when no units are left for %s', async (_, reset) => {
    const limit = await limitTold({ 'ratelimit-remaining': '0', 'ratelimit-reset': reset })
    const error = await limit.acquire(100, undefined, patienceOf(900_000)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PostponedError)
    const requested = ((error as PostponedError).resumeAt.getTime() - Date.now()) / (day * 1000)
    expect(requested).toBeCloseTo(1, 1)
    expect((error as Error).message).toContain('(ratelimit-reset)')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('cuts a wait of ten years to a day, and a patient caller waits for it with one timer and no busy loop', async () => {
    const tenYears = 10 * 365 * day * 1000
    const limit = await limitTold({ 'ratelimit-remaining': '0', 'ratelimit-reset': String(tenYears / 1000) })
    let granted = false
    const stop = new AbortController()
    const waiting = limit.acquire(100, stop.signal, patienceOf(tenYears + 1)).then(
      () => (granted = true),
      () => undefined,
    )
    await vi.advanceTimersByTimeAsync(0)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(timers).toHaveBeenCalledTimes(0)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(day * 1000 - 120_000)
    expect(granted).toBe(false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(granted).toBe(true)
    expect(timers.mock.calls.length).toBeLessThan(200)
    expect(Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThanOrEqual(longestTimerMs)
    stop.abort()
    await waiting
  })

  test('sends at once when the reset is a day away, and does not spread the remaining units over the day', async () => {
    const limit = await limitTold({ 'ratelimit-remaining': '500', 'ratelimit-reset': String(day) })
    const grants = await Promise.all([1, 2, 3, 4].map(() => limit.acquire(100, undefined, patienceOf(900_000))))
    expect(grants).toHaveLength(4)
  })

  test('logs a demanded wait of more than five minutes once and waits for it', async () => {
    const limit = await limitTold({ 'retry-after': '600' }, 429)
    const patience = patienceOf(900_000)
    const granted: number[] = []
    for (const number of [1, 2, 3]) void limit.acquire(1, undefined, patience).then(() => granted.push(number))
    await vi.advanceTimersByTimeAsync(599_000)
    expect(granted).toEqual([])
    expect(told).toMatchObject([{ said: 'Retry-After', maxWaitMs: 900_000 }])
    expect(told[0]!.until.getTime() - Date.now()).toBeLessThan(2000)
    await vi.advanceTimersByTimeAsync(2000)
    expect(granted).toEqual([1])
  })
})

test('a pause may be longer than the longest timer, and a stop signal ends it', async () => {
  let ended = false
  void pause(3 * longestTimerMs + 5000).then(() => {
    ended = true
  })
  await vi.advanceTimersByTimeAsync(3 * longestTimerMs)
  expect(ended).toBe(false)
  await vi.advanceTimersByTimeAsync(5000)
  expect(ended).toBe(true)
  const stop = new AbortController()
  const stopped = expect(pause(10 * longestTimerMs, stop.signal)).rejects.toThrow('stopped')
  await vi.advanceTimersByTimeAsync(2 * longestTimerMs)
  stop.abort(new Error('stopped'))
  await stopped
  expect(vi.getTimerCount()).toBe(0)
})
