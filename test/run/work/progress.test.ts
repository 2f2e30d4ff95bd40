import { afterEach, expect, test, vi } from 'vitest'
import { createTransport } from '../../../src/fetch/transport.ts'
import { waitingOutside } from '../../../src/lib/wait.ts'
import { createProgress } from '../../../src/run/work/worker.ts'
import { startServer } from '../../fetch/local-server.ts'

afterEach(() => void vi.restoreAllMocks())

/** A clock and the used processor time, both in milliseconds. */
function clock() {
  const now = { ms: 1_000, used: 0 }
  vi.spyOn(performance, 'now').mockImplementation(() => now.ms)
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: now.used * 1000, system: 0 }))
  return now
}

test('a worker that neither waits for a source nor computes makes no progress', () => {
  const now = clock()
  const stuckMs = createProgress()
  for (const [passes, uses, stuck] of [
    [15_000, 100, 15_000],
    [15_000, 100, 30_000],
    [15_000, 3_000, 0],
    [15_000, 299, 15_000],
  ] as const) {
    now.ms += passes
    now.used += uses
    expect(stuckMs()).toBe(stuck)
  }
})

test('a wait that a source dictates counts as progress for its whole length, such as a quarter of an hour', async () => {
  const now = clock()
  const stuckMs = createProgress()
  let end = () => {}
  const waiting = waitingOutside(() => new Promise<void>((resolve) => (end = resolve)))
  for (let passed = 0; passed < 60; passed++) {
    now.ms += 15_000
    expect(stuckMs()).toBe(0)
  }
  end()
  await waiting
  now.ms += 15_000
  expect(stuckMs()).toBe(15_000)
})

test('a request counts as progress until it is answered, including the pauses between its retries', async () => {
  const server = await startServer((_, count) =>
    count === 0 ? { status: 503, headers: { 'retry-after': '1' } } : { body: 'fine' },
  )
  const transport = createTransport({ baseUrl: server.url })
  const request = transport.request({ method: 'GET', path: '/' })
  while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const now = clock()
  const stuckMs = createProgress()
  now.ms += 15_000
  expect(stuckMs()).toBe(0)
  vi.restoreAllMocks()
  await request
  await transport.close()
  await server.close()
})
