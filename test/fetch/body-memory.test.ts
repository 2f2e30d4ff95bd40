import { expect, test } from 'vitest'
import { createTransport } from '../../src/fetch/transport.ts'
import { quick, startServer } from './local-server.ts'

const body = (count: number) => String.fromCharCode(97 + (count % 26)).repeat(700_000)

test('consecutive requests reuse one buffer for their bodies, and an answer that is kept has its own copy', async () => {
  const server = await startServer((_, count) => ({ body: body(count) }))
  const transport = createTransport({ baseUrl: server.url, ...quick, concurrency: 1 })
  try {
    const kept = await transport.request({ method: 'GET', path: '/kept' })
    const memories = new Set<ArrayBufferLike>()
    for (let count = 1; count <= 20; count++) {
      const text = await transport.request({
        method: 'GET',
        path: '/thing',
        parse: (answer) => {
          memories.add(answer.body.buffer)
          return answer.body.toString('latin1')
        },
      })
      expect(text === body(count)).toBe(true)
    }
    expect(memories.size).toBe(1)
    expect(kept.body.toString('latin1') === body(0)).toBe(true)
  } finally {
    await transport.close()
    await server.close()
  }
})
