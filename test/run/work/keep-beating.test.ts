import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepBeating } from '../../../src/run/work/keep-beating.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const taken = { attempt: { id: 'a', retryCount: 0 }, leaseSeconds: 10 }

async function beating(beat: () => Promise<boolean>, seconds: number): Promise<{ beats: number; lost: number }> {
  const counts = { beats: 0, lost: 0 }
  const end = keepBeating(
    taken,
    {
      beat: () => {
        counts.beats++
        return beat()
      },
    },
    () => counts.lost++,
  )
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  end()
  const { beats } = counts
  await vi.advanceTimersByTimeAsync(60_000)
  expect(counts.beats).toBe(beats)
  return counts
}

test('a worker says four times within its lease that it lives, until its task has ended', async () => {
  expect(await beating(async () => true, 30)).toEqual({ beats: 12, lost: 0 })
})

test('it has lost the task when it hears that it is another one’s', async () => {
  expect((await beating(async () => false, 3)).lost).toBe(1)
})

test('it has lost the task when it could not say so for a whole lease, and not before', async () => {
  const refused = () => Promise.reject(new Error('It is down.'))
  expect((await beating(refused, 10)).lost).toBe(0)
  expect((await beating(refused, 13)).lost).toBeGreaterThan(0)
})

test('it does not say so again while it is not heard, and has lost the task after a lease', async () => {
  const { beats, lost } = await beating(() => new Promise(() => undefined), 13)
  expect([beats, lost > 0]).toEqual([1, true])
})
