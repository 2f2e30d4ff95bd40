import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRateLimit, type SharedState } from '../../src/fetch/limits.ts'
import { limitedService } from './limited-service.ts'
import { minute, saturate, shared, sharedState } from './saturate-limits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('four processes share a hidden limit well, with fewer than 2% of requests refused', async () => {
  const limit = 24_000
  const service = limitedService('fixed window', limit, minute, { retryAfter: true })
  const state = sharedState()
  const limits = ['a', 'b', 'c', 'd'].map(() => shared(state))
  const began = performance.now()
  const { refused, unitsBetween } = await saturate(limits, {
    answer: (units, now) => service.answer(units, now - began),
    untilMs: began + 4 * minute,
  })
  expect(unitsBetween(began, began + 4 * minute) / (4 * limit)).toBeGreaterThan(0.9)
  expect(refused).toBeLessThan(0.02)
})

test('without a limit, a process changes the shared state for fewer than half of its requests', async () => {
  const state = sharedState()
  const { requests } = await saturate([shared(state)], {
    answer: () => ({ status: 200, headers: {} }),
    untilMs: performance.now() + minute,
  })
  expect(requests).toBeGreaterThan(1000)
  expect(state.changes()).toBeLessThan(requests / 2)
})

test('a refusal pauses all processes for the time that the service demands', async () => {
  const state = sharedState()
  const [one, other] = [shared(state), shared(state)]
  const granting = one.acquire(1)
  await vi.advanceTimersByTimeAsync(10)
  one.report(await granting, { status: 429, headers: { 'retry-after': '30' } })
  await vi.advanceTimersByTimeAsync(10)
  let got = 0
  void other.acquire(1).then(() => got++)
  void one.acquire(1).then(() => got++)
  await vi.advanceTimersByTimeAsync(29_000)
  expect(got).toBe(0)
  await vi.advanceTimersByTimeAsync(1500)
  // One request finds out for all processes whether the service accepts again.
  expect(got).toBe(1)
})

const configured = (state: SharedState, unitsPerMinute: number | null) =>
  createRateLimit({ unitsPerMinute, shared: state })

test('processes with different limits in their configurations keep to the lowest one together', async () => {
  const state = sharedState()
  const limits = [6_000, null, 60_000].map((units) => configured(state, units))
  const began = performance.now()
  const { unitsBetween } = await saturate(limits, {
    answer: () => ({ status: 200, headers: {} }),
    untilMs: began + 3 * minute,
  })
  for (const from of [0, 0.5, 1, 1.5, 2]) {
    const units = unitsBetween(began + from * minute, began + (from + 1) * minute)
    expect(units).toBeGreaterThan(0.9 * 6_000)
    expect(units).toBeLessThan(1.05 * 6_000)
  }
})

test('a refusal of one process pauses those with another limit in their configuration, too', async () => {
  const state = sharedState()
  const [one, other] = [configured(state, 6_000), configured(state, 60_000)]
  const granting = one.acquire(1)
  await vi.advanceTimersByTimeAsync(10)
  one.report(await granting, { status: 429, headers: { 'retry-after': '30' } })
  await vi.advanceTimersByTimeAsync(10)
  let got = 0
  void other.acquire(1).then(() => got++)
  await vi.advanceTimersByTimeAsync(29_000)
  expect(got).toBe(0)
  await vi.advanceTimersByTimeAsync(1500)
  expect(got).toBe(1)
})

test('a higher limit counts once no process has used the lower one for a window', async () => {
  const state = sharedState()
  const lower = configured(state, 600)
  void lower.acquire(1)
  await vi.advanceTimersByTimeAsync(minute + 1000)
  const began = performance.now()
  const { unitsBetween } = await saturate([configured(state, 6_000)], {
    answer: () => ({ status: 200, headers: {} }),
    untilMs: began + 2 * minute,
  })
  expect(unitsBetween(began + minute, began + 2 * minute)).toBeGreaterThan(0.9 * 6_000)
})

test('a request waits for an unreachable shared state and fails when the state stays unreachable', async () => {
  let isThere = false
  const inner = sharedState()
  const state: SharedState = {
    change: (step) => (isThere ? inner.change(step) : Promise.reject(new Error('no database'))),
  }
  const limit = shared(state)
  const first = limit.acquire(1)
  await vi.advanceTimersByTimeAsync(10_000)
  isThere = true
  await vi.advanceTimersByTimeAsync(2000)
  expect((await first).units).toBe(1)
  isThere = false
  const failing = limit.acquire(1).then(
    () => 'leave',
    (error: Error) => error.message,
  )
  await vi.advanceTimersByTimeAsync(40_000)
  expect(await failing).toBe('no database')
})
