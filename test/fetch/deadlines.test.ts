import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeadlines } from '../../src/fetch/attempt.ts'
import { longestTimerMs } from '../../src/lib/wait.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  // First the spies: restored later, they would bring the fake timers back.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('each deadline expires when its own time is over, and those that were ended do not', () => {
  const deadlines = createDeadlines(100)
  const expired: string[] = []
  const start = (name: string) => deadlines.start((milliseconds) => expired.push(`${name} after ${milliseconds}`))
  start('first')
  vi.advanceTimersByTime(40)
  start('second')
  const end = start('ended')
  end()
  vi.advanceTimersByTime(59)
  expect(expired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(expired).toEqual(['first after 100'])
  vi.advanceTimersByTime(39)
  expect(expired).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(expired).toEqual(['first after 100', 'second after 100'])
})

test('a thousand deadlines use one timer, which stays for none of them', () => {
  const deadlines = createDeadlines(100)
  for (const end of Array.from({ length: 1000 }, () => deadlines.start(() => expect.unreachable()))) end()
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
})

test('a deadline that an expired one starts gets its whole time', () => {
  const deadlines = createDeadlines(100)
  let isOver = false
  deadlines.start(() =>
    deadlines.start(() => {
      isOver = true
    }),
  )
  vi.advanceTimersByTime(199)
  expect(isOver).toBe(false)
  vi.advanceTimersByTime(1)
  expect(isOver).toBe(true)
})

test('a deadline may be longer than the longest timer', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const deadlines = createDeadlines(2 * longestTimerMs)
  let isOver = false
  deadlines.start(() => {
    isOver = true
  })
  vi.advanceTimersByTime(10_000)
  expect(timers).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(2 * longestTimerMs - 10_001)
  expect(isOver).toBe(false)
  vi.advanceTimersByTime(1)
  expect(isOver).toBe(true)
})

test('a deadline that ends while this thread computes is extended by the time that its timer was late', async () => {
  vi.useRealTimers()
  const deadlines = createDeadlines(50)
  let overMs: number | null = null
  deadlines.start(() => {
    overMs = performance.now()
  })
  const blockedUntil = performance.now() + 300
  while (performance.now() < blockedUntil);
  await vi.waitUntil(() => overMs !== null)
  expect(overMs! - blockedUntil).toBeGreaterThanOrEqual(200)
})
