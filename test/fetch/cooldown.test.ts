import { expect, test } from 'vitest'
import { createTransport } from '../../src/fetch/transport.ts'
import { createCooldown, newSharedCooldown } from '../../src/fetch/waits.ts'
import { quick, startServer } from './local-server.ts'

test('a cooldown lasts for the longest requested wait, and at most a day', () => {
  const cooldown = createCooldown()
  expect(cooldown.leftMs()).toBeLessThanOrEqual(0)
  cooldown.extend(10_000)
  cooldown.extend(1_000)
  expect(cooldown.leftMs()).toBeGreaterThan(9_000)
  expect(cooldown.leftMs()).toBeLessThanOrEqual(10_000)
  cooldown.extend(Number.POSITIVE_INFINITY)
  expect(cooldown.leftMs()).toBeGreaterThan(86_399_000)
  expect(cooldown.leftMs()).toBeLessThanOrEqual(86_400_000)
})

test('a transport that shares a cooldown waits when the service has throttled another transport', async () => {
  const server = await startServer((_, count) =>
    count === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { body: 'fine' },
  )
  const shared = newSharedCooldown()
  const [first, second] = [0, 1].map(() =>
    createTransport({ baseUrl: server.url, ...quick, cooldown: createCooldown(shared) }),
  )
  try {
    const requested = { method: 'GET', path: '/' } as const
    const refused = first!.request(requested)
    while (createCooldown(shared).leftMs() <= 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const started = performance.now()
    await second!.request(requested)
    expect(performance.now() - started).toBeGreaterThan(500)
    await refused
    expect(server.received).toHaveLength(3)
  } finally {
    await Promise.all([first, second].map((transport) => transport!.close()))
    await server.close()
  }
})
