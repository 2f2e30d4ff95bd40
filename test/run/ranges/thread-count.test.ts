import { expect, test } from 'vitest'
import { threadsFor } from '../../../src/run/ranges/plan-slices.ts'

const usual = { threads: undefined, concurrency: 4 }

test('a long range gets up to four threads, but no more than there are processors', () => {
  expect([0, 65_536, 131_071, 131_072, 250_000, 10 ** 9].map((length) => threadsFor(usual, length, 8))).toEqual([
    1, 1, 1, 2, 3, 4,
  ])
  expect(threadsFor(usual, 10 ** 9, 2)).toBe(2)
  expect(threadsFor(usual, 10 ** 9, 1)).toBe(1)
})

test('requested threads start for shorter ranges and may exceed the processors, but not the concurrent requests', () => {
  const requested = { threads: 8, concurrency: 64 }
  expect([100, 4_095, 4_096, 10_000, 10 ** 9].map((length) => threadsFor(requested, length, 1))).toEqual([
    1, 1, 2, 4, 8,
  ])
  expect(threadsFor({ ...requested, concurrency: 3 }, 10 ** 9, 1)).toBe(3)
  expect(threadsFor({ ...usual, concurrency: 1 }, 10 ** 9, 8)).toBe(1)
})
