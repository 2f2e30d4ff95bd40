import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepBeating, losses } from '../../../src/run/work/worker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const taken = { attempt: { id: 'a', retryCount: 0, retryLimit: 20, priority: 0 }, leaseSeconds: 10 }

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

test('a worker sends four heartbeats per lease until its task ends', async () => {
  expect(await beating(async () => true, 30)).toEqual({ beats: 12, lost: [] })
})

test('a worker has lost its task when it learns that another worker has the task', async () => {
  expect((await beating(async () => false, 30)).lost).toEqual([losses.taken])
})

test('a worker has lost its task when its heartbeats failed for a whole lease, and not before', async () => {
  const refused = () => Promise.reject(new Error('It is down.'))
  expect((await beating(refused, 10)).lost).toEqual([])
  expect((await beating(refused, 30)).lost).toEqual([losses.silent])
})

test('a worker sends no new heartbeat while one is unanswered, and has lost its task after a lease', async () => {
  const { beats, lost } = await beating(() => new Promise(() => undefined), 13)
  expect([beats, lost]).toEqual([1, [losses.silent]])
})

test('a worker stops its heartbeats and has lost its task after a whole lease without progress', async () => {
  const began = performance.now()
  const { beats, lost } = await beating(
    async () => true,
    60,
    () => performance.now() - began,
  )
  expect([beats, lost]).toEqual([4, [losses.stuck]])
})
