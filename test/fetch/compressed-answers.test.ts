import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import type { TransportError } from '../../src/errors.ts'
import { createTransport, type Retry, type TransportOptions } from '../../src/fetch/transport.ts'
import { packageVersion } from '../../src/lib/package.ts'
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
const brotli = (body: string | Uint8Array) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
const zipped = (body: string | Uint8Array, encoding = 'gzip', status = 200): Reply => ({
  status,
  headers: { 'content-encoding': encoding },
  body,
})

test('every request sends a user agent with the version and accepts gzip and Brotli', async () => {
  const { server, transport } = await serve([{}], { headers: { 'x-key': 'k' } })
  await transport.request(get)
  await transport.request({ method: 'POST', path: '/rpc', headers: { accept: 'text/plain' }, body: '{}' })
  for (const { headers } of server.received)
    expect(headers).toMatchObject({
      'user-agent': `chainlake/${packageVersion()}`,
      'accept-encoding': 'gzip, br',
      'x-key': 'k',
    })
  expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/)
})

test.each([
  ['in one piece', zipped(gzipSync(text))],
  ['under its old name', zipped(gzipSync(text), 'X-GZIP')],
  ['in two members', zipped(Buffer.concat([gzipSync(text.slice(0, 999)), gzipSync(text.slice(999))]))],
  ['as Brotli', zipped(brotli(text), 'br')],
  ['as Brotli, written in capitals', zipped(brotli(text), 'BR')],
  ['not compressed, and said to be so', zipped(text, 'identity')],
])('the transport reads an answer that is sent %s', async (_, reply) => {
  const { transport, retries } = await serve([reply])
  expect((await transport.request(get)).body.toString()).toEqual(text)
  expect(retries).toEqual([])
})

test.each(['gzip', 'br'])('the transport accepts an empty answer that is declared as %s', async (encoding) => {
  const { transport } = await serve([zipped('', encoding)])
  expect((await transport.request(get)).body).toHaveLength(0)
})

const broken = gzipSync(text)
broken.writeUInt32LE(1, broken.length - 8)
test.each([
  ['cut short', gzipSync(text).subarray(0, 500), 'gzip'],
  ['cut after a byte', gzipSync(text).subarray(0, 1), 'gzip'],
  ['of a wrong checksum', broken, 'gzip'],
  ['not compressed at all', text, 'gzip'],
  ['cut short (Brotli)', brotli(text).subarray(0, 500), 'br'],
  ['cut after a byte (Brotli)', brotli(text).subarray(0, 1), 'br'],
  ['not compressed at all (Brotli)', text, 'br'],
  ['gzip and not Brotli', gzipSync(text), 'br'],
])('the transport retries after a compressed answer that is %s', async (_, body, encoding) => {
  const { transport, retries } = await serve([zipped(body, encoding), zipped(gzipSync(text))])
  expect((await transport.request(get)).body.toString()).toEqual(text)
  expect(retries).toMatchObject([
    { attempt: 1, reason: expect.stringMatching(/cannot be decompressed: it is damaged or truncated/) },
  ])
})

test.each([
  ['gzip', gzipSync],
  ['br', brotli],
] as const)('a small %s answer that decompresses beyond the size limit is refused', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(16_000_000))
  const { server, transport } = await serve([zipped(bomb, encoding)], { maxBytes: 1_000_000 })
  expect(bomb.length).toBeLessThan(100_000)
  const before = process.memoryUsage().arrayBuffers
  const error = await transport.request(get).catch((failure: TransportError) => failure)
  expect(error).toMatchObject({ code: 'transport.too-large', retryable: false })
  expect((error as TransportError).message).toMatch(/is larger than 1000000 bytes\.$/)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000)
  expect(server.received).toHaveLength(1)
  expect((await transport.request({ ...get, maxBytes: 16_000_000 })).body).toHaveLength(16_000_000)
})

test('a request that is aborted while its answer is decompressed does not parse the answer', async () => {
  const { server, transport } = await serve([zipped(gzipSync(Buffer.alloc(60_000_000)))])
  const stop = new AbortController()
  const parse = vi.fn(() => 'parsed')
  const aborted = transport.request({ ...get, signal: stop.signal, parse })
  await vi.waitUntil(() => server.received.length === 1)
  // The whole answer arrives in less than this time, and its decompression takes longer.
  setTimeout(() => stop.abort(new Error('stopped')), 20)
  await expect(aborted).rejects.toThrow('stopped')
  await transport.request({ ...get, parse })
  expect(parse).toHaveBeenCalledTimes(1)
})

test('the error names an encoding that the request did not accept', async () => {
  const { server, transport } = await serve([zipped('???', 'zstd')])
  const error = await transport.request(get).catch((failure: TransportError) => failure)
  expect(error).toMatchObject({ code: 'transport.encoding', retryable: false, exitCode: 3 })
  expect((error as TransportError).message).toBe(
    `The answer of ${server.url}/thing is encoded as zstd, which the request did not accept.`,
  )
})

test('an error answer is judged by its status, whatever its encoding', async () => {
  const { server, transport } = await serve([zipped('???', 'zstd', 503), zipped('no gzip', 'gzip', 404)])
  await expect(transport.request(get)).rejects.toMatchObject({ code: 'transport.not-found', status: 404 })
  expect(server.received).toHaveLength(2)
})
