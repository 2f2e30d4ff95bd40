import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { TransportError } from '../../src/errors.ts'
import { createTransport, type Retry, type TransportOptions } from '../../src/fetch/transport.ts'
import { packageVersion } from '../../src/lib/package-version.ts'
import { quick, type Reply, startServer } from './local-server.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serve(replies: readonly Reply[], options: Partial<TransportOptions> = {}) {
  const server = await startServer((_, count) => replies[Math.min(count, replies.length - 1)] ?? {})
  cleanups.push(server.close)
  const retries: Retry[] = []
  const transport = createTransport({
    baseUrl: server.url,
    ...quick,
    onRetry: (retry) => retries.push(retry),
    ...options,
  })
  cleanups.push(transport.close)
  return { server, transport, retries }
}

const get = { method: 'GET', path: '/thing' } as const
const text = JSON.stringify({ rows: Array.from({ length: 600 }, (_, at) => `row ${at} ä`) })
const zipped = (body: string | Uint8Array, encoding = 'gzip', status = 200): Reply => ({
  status,
  headers: { 'content-encoding': encoding },
  body,
})

test('every request says who asks and that it can read gzip', async () => {
  const { server, transport } = await serve([{}], { headers: { 'x-key': 'k' } })
  await transport.request(get)
  await transport.request({ method: 'POST', path: '/rpc', headers: { accept: 'text/plain' }, body: '{}' })
  for (const { headers } of server.received)
    expect(headers).toMatchObject({
      'user-agent': `chainlake/${packageVersion()}`,
      'accept-encoding': 'gzip',
      'x-key': 'k',
    })
  expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/)
})

test.each([
  ['in one piece', zipped(gzipSync(text))],
  ['under its old name', zipped(gzipSync(text), 'X-GZIP')],
  ['in two members', zipped(Buffer.concat([gzipSync(text.slice(0, 999)), gzipSync(text.slice(999))]))],
  ['not compressed, and said to be so', zipped(text, 'identity')],
])('an answer %s is read', async (_, reply) => {
  const { transport, retries } = await serve([reply])
  expect((await transport.request(get)).body.toString()).toEqual(text)
  expect(retries).toEqual([])
})

test('an empty answer may call itself compressed', async () => {
  const { transport } = await serve([zipped('')])
  expect((await transport.request(get)).body).toHaveLength(0)
})

const broken = gzipSync(text)
broken.writeUInt32LE(1, broken.length - 8)
test.each([
  ['cut short', gzipSync(text).subarray(0, 500)],
  ['cut after a byte', gzipSync(text).subarray(0, 1)],
  ['of a wrong checksum', broken],
  ['not compressed at all', text],
])('a compressed answer that is %s is asked for again', async (_, body) => {
  const { transport, retries } = await serve([zipped(body), zipped(gzipSync(text))])
  expect((await transport.request(get)).body.toString()).toEqual(text)
  expect(retries).toMatchObject([{ attempt: 1, reason: expect.stringMatching(/compressed and damaged or cut short/) }])
})

test('a small answer that grows beyond the limit ends there, however large it would be', async () => {
  const bomb = gzipSync(Buffer.alloc(16_000_000))
  const { server, transport } = await serve([zipped(bomb)], { maxBytes: 1_000_000 })
  expect(bomb.length).toBeLessThan(100_000)
  const before = process.memoryUsage().arrayBuffers
  const error = await transport.request(get).catch((failure: TransportError) => failure)
  expect(error).toMatchObject({ code: 'transport.too-large', retryable: false })
  expect((error as TransportError).message).toMatch(/is larger than 1000000 bytes\.$/)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000)
  expect(server.received).toHaveLength(1)
  expect((await transport.request({ ...get, maxBytes: 16_000_000 })).body).toHaveLength(16_000_000)
})

test('an encoding that was not asked for is named', async () => {
  const { server, transport } = await serve([zipped('???', 'br')])
  const error = await transport.request(get).catch((failure: TransportError) => failure)
  expect(error).toMatchObject({ code: 'transport.encoding', retryable: false, exitCode: 3 })
  expect((error as TransportError).message).toBe(
    `The answer of ${server.url}/thing is encoded as br, which was not asked for.`,
  )
})

test('of a refusal the status counts, whatever its text is encoded as', async () => {
  const { server, transport } = await serve([zipped('???', 'br', 503), zipped('no gzip', 'gzip', 404)])
  await expect(transport.request(get)).rejects.toMatchObject({ code: 'transport.not-found', status: 404 })
  expect(server.received).toHaveLength(2)
})
