import { expect, test } from 'vitest'
import { createRateLimit } from '../../src/fetch/limits.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { limitedService } from './limited-service.ts'
import { quick, startServer } from './local-server.ts'

test('the transport uses the hidden limit of a server well, with few refusals, and completes every request', async () => {
  const windowMs = 1000
  const service = limitedService('fixed window', 20_000, windowMs)
  const server = await startServer(() => {
    const { status } = service.answer(100, performance.now())
    return { status, body: status === 200 ? 'fine' : '{"message":"slow down"}' }
  })
  let refused = 0
  const rateLimit = createRateLimit({ unitsPerMinute: null, windowMs })
  const transport = createTransport({
    baseUrl: server.url,
    ...quick,
    rateLimit,
    onRetry: () => {
      refused += 1
    },
  })
  const started = performance.now()
  const requests = 1600
  await Promise.all(Array.from({ length: requests }, () => transport.request({ method: 'GET', path: '/', cost: 100 })))
  const seconds = (performance.now() - started) / 1000
  await transport.close()
  await server.close()
  expect(server.received).toHaveLength(requests + refused)
  expect(refused / requests).toBeLessThan(0.05)
  expect((requests * 100) / (20_000 * seconds)).toBeGreaterThan(0.5)
})
