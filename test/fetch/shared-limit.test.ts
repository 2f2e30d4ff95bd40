import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SharedState } from '../../src/fetch/shared-limit.ts'
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
  const limits = ['a', 'b', 'c', 'd'].map((holder) => shared(state, holder))
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
  const { requests } = await saturate([shared(state, 'a')], {
    answer: () => ({ status: 200, headers: {} }),
    untilMs: performance.now() + minute,
  })
  expect(requests).toBeGreaterThan(1000)
  expect(state.changes()).toBeLessThan(requests / 2)
})

test('a refusal pauses all processes for the time that the service demands', async () => {
  const state = sharedState()
  const [one, other] = [shared(state, 'one'), shared(state, 'other')]
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

test('a wait of years that an earlier version has stored is cut to a day', async () => {
  let kept = ''
  const inner = sharedState()
  const state: SharedState = {
    change: (step) =>
      inner.change((text, now) => {
        const changed = step(text, now)
        const parsed = JSON.parse(changed.keep)
        if (kept === '') {
          parsed.bucket.holdUntil = now + 1e12
          parsed.bucket.spread = { rate: 0, until: now + 1e12 }
        }
        kept = JSON.stringify(parsed)
        return { ...changed, keep: kept }
      }),
  }
  const limit = shared(state, 'one')
  const first = limit.acquire(1)
  await vi.advanceTimersByTimeAsync(10)
  limit.report(await first, null)
  await vi.advanceTimersByTimeAsync(minute)
  let got = 0
  void limit.acquire(1).then(() => got++)
  await vi.advanceTimersByTimeAsync(23 * 60 * minute)
  expect(got).toBe(0)
  await vi.advanceTimersByTimeAsync(61 * minute)
  expect(got).toBe(1)
})

test('the shared state drops the open requests of a dead process, and a live process returns its unused units', async () => {
  let kept = ''
  const inner = sharedState()
  const state: SharedState = {
    change: (step) =>
      inner.change((text, now) => {
        const changed = step(text, now)
        kept = changed.keep
        return changed
      }),
  }
  const [dead, live] = [shared(state, 'dead'), shared(state, 'live')]
  void dead.acquire(100)
  await vi.advanceTimersByTimeAsync(10)
  const granting = live.acquire(10)
  await vi.advanceTimersByTimeAsync(10)
  expect(JSON.parse(kept).bucket.underWay).toBe(110)
  live.report(await granting, { status: 200, headers: {} })
  await vi.advanceTimersByTimeAsync(150_000)
  void live.acquire(10)
  await vi.advanceTimersByTimeAsync(10)
  expect(Object.keys(JSON.parse(kept).holders)).toEqual(['live'])
  expect(JSON.parse(kept).bucket.underWay).toBe(10)
})

test('a request waits for an unreachable shared state and fails when the state stays unreachable', async () => {
  let isThere = false
  const inner = sharedState()
  const state: SharedState = {
    change: (step) => (isThere ? inner.change(step) : Promise.reject(new Error('no database'))),
  }
  const limit = shared(state, 'a')
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
