import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepBeating, losses } from '../../../src/run/work/keep-beating.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const taken = { attempt: { id: 'a', retryCount: 0 }, leaseSeconds: 10 }

async function beating(
  beat: () => Promise<boolean>,
  seconds: number,
  stuckMs = () => 0,
): Promise<{ beats: number; lost: string[] }> {
  const counts = { beats: 0, lost: [] as string[] }
  const end = keepBeating(
    taken,
    {
      beat: () => {
        counts.beats++
        return beat()
      },
    },
    { lost: (why) => counts.lost.push(why), stuckMs },
  )
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  end()
  const { beats } = counts
  await vi.advanceTimersByTimeAsync(60_000)
  expect(counts.beats).toBe(beats)
  return counts
}

test('a worker says four times within its lease that it lives, until its task has ended', async () => {
  expect(await beating(async () => true, 30)).toEqual({ beats: 12, lost: [] })
})

test('it has lost the task when it hears that it is another one’s', async () => {
  expect((await beating(async () => false, 30)).lost).toEqual([losses.given])
})

test('it has lost the task when it could not say so for a whole lease, and not before', async () => {
  const refused = () => Promise.reject(new Error('It is down.'))
  expect((await beating(refused, 10)).lost).toEqual([])
  expect((await beating(refused, 30)).lost).toEqual([losses.unheard])
})

test('it does not say so again while it is not heard, and has lost the task after a lease', async () => {
  const { beats, lost } = await beating(() => new Promise(() => undefined), 13)
  expect([beats, lost]).toEqual([1, [losses.unheard]])
})

test('it beats no more when it has made no progress for a whole lease', async () => {
  const began = performance.now()
  const { beats, lost } = await beating(
    async () => true,
    60,
    () => performance.now() - began,
  )
  expect([beats, lost]).toEqual([4, [losses.stuck]])
})
