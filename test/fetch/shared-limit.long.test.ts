import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Enforcement, limitedService, type Telling } from './limited-service.ts'
import { minute, saturate, shared, sharedState } from './saturate-limits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test.each<[Enforcement, Telling]>([
  ['fixed window', { retryAfter: true }],
  ['sliding window', {}],
  ['large bucket', {}],
  ['small bucket', {}],
  ['fixed window', { headers: true, retryAfter: true }],
])(
  'four processes use a hidden limit (a %s with headers %o) to nine tenths, with fewer than 1% refusals',
  async (kind, told) => {
    const limit = 60_000
    const service = limitedService(kind, limit, minute, told)
    const state = sharedState()
    const limits = ['a', 'b', 'c', 'd'].map(() => shared(state))
    const began = performance.now()
    const { refused, unitsBetween, requests } = await saturate(limits, {
      answer: (units, now) => service.answer(units, now - began),
      untilMs: began + 20 * minute,
    })
    expect(unitsBetween(began, began + 20 * minute) / (20 * limit)).toBeGreaterThan(0.85)
    expect(unitsBetween(began + 10 * minute, began + 20 * minute) / (10 * limit)).toBeGreaterThan(0.9)
    expect(refused).toBeLessThan(0.01)
    expect(requests).toBeGreaterThan(8000)
  },
)
