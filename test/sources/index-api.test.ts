import { afterEach, describe, expect, test } from 'vitest'
import { DecodeError, type HttpError, RpcError, type TransportError } from '../../src/errors.ts'
import { createTransport, type TransportOptions } from '../../src/fetch/transport.ts'
import { createIndexApi } from '../../src/sources/node-index.ts'
import { quick, type Reply } from '../fetch/local-server.ts'
import { type IndexNode, type Interference, startIndexNode, type Written, written } from './index-node.ts'

type IndexApi = ReturnType<typeof createIndexApi>

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const bytesOf = (index: number, length = 100) => Buffer.alloc(length, index + 1)
const hundred = Array.from({ length: 100 }, (_, index) => written(index, bytesOf(index)))

async function serve(
  containers: readonly Written[],
  interfere?: Interference,
  options: Partial<TransportOptions> & { path?: string } = {},
): Promise<{ node: IndexNode; api: IndexApi }> {
  const node = await startIndexNode(containers, interfere)
  cleanups.push(node.close)
  const transport = createTransport({ baseUrl: node.url, ...quick, ...options })
  cleanups.push(transport.close)
  return { node, api: createIndexApi(transport, options.path ?? 'X/tx', { waitMs: 2 }) }
}

async function failure(promise: Promise<unknown>): Promise<DecodeError> {
  return await promise.then(
    () => expect.fail('the request succeeded'),
    (error: DecodeError) => error,
  )
}

describe('a window', () => {
  test('has exactly the requested containers, verified and in order', async () => {
    const { node, api } = await serve(hundred)
    const window = await api.window(10, 60)
    expect(window.map(({ index }) => index)).toEqual(Array.from({ length: 50 }, (_, i) => i + 10))
    expect(window[3]).toEqual({
      index: 13,
      id: hundred[13]?.id,
      acceptedAtNs: BigInt(Date.UTC(2026, 10, 21, 7, 35, 18)) * 1_000_000n + 13n,
      bytes: new Uint8Array(bytesOf(13)),
    })
    expect(node.ranges()).toEqual([{ startIndex: 10, numToFetch: 50 }])
    expect(JSON.parse(node.received[0]?.body ?? '')).toMatchObject({ params: { encoding: 'hex' } })
  })

  test('is also read from an array, the form of the specification', async () => {
    const { api } = await serve(hundred, (_, honest) => ({
      body: JSON.stringify({ id: null, result: honest }),
    }))
    await expect(api.window(0, 2)).rejects.toThrow('another request')
    let node: IndexNode | undefined
    const second = await serve(hundred, (_, honest) => {
      const { id } = JSON.parse(node?.received.at(-1)?.body ?? '') as { id: number }
      return { body: JSON.stringify({ id, result: honest }) }
    })
    node = second.node
    expect(await second.api.window(0, 2)).toHaveLength(2)
  })

  test('without heights sends no request', async () => {
    const { node, api } = await serve(hundred)
    expect(await api.window(5, 5)).toEqual([])
    expect(node.received).toHaveLength(0)
  })

  test('continues after a short answer', async () => {
    const { node, api } = await serve(hundred, (_, honest) => honest.slice(0, 7))
    expect((await api.window(0, 20)).map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, i) => i))
    expect(node.ranges().map(({ startIndex }) => startIndex)).toEqual([0, 7, 14])
  })

  test('is retried after an empty answer', async () => {
    const { node, api } = await serve(hundred, (_, __, count) => (count === 0 ? [] : undefined))
    expect(await api.window(0, 5)).toHaveLength(5)
    expect(node.ranges()).toHaveLength(2)
  })

  test('that stays empty below the head is an error, not the end', async () => {
    const { node, api } = await serve(hundred, ({ startIndex }) => (startIndex < 3 ? undefined : []))
    const error = await failure(api.window(3, 5))
    expect(error).toMatchObject({ code: 'index.ends-early', retryable: true, exitCode: 3, details: { index: 3 } })
    expect(error.hint).toMatch(/load balancer/)
    expect(node.ranges()).toHaveLength(4)
  })

  test('beyond the head of a node is an error with the reason', async () => {
    const { api } = await serve(hundred)
    const error = await failure(api.window(95, 105))
    expect(error).toMatchObject({ code: 'index.ends-early', details: { index: 100 } })
    expect(error.message).toContain('start index (100) > last accepted index (99)')
  })

  test('ends promptly when its signal is aborted', async () => {
    const { api } = await serve(hundred, () => ({ fault: 'hang' }))
    const stop = new AbortController()
    const window = api.window(0, 10, stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 20)
    await expect(window).rejects.toThrow('stopped')
  })
})

describe('a damaged answer', () => {
  const other = written(1, bytesOf(77))
  const damages: [string, Partial<Written>, RegExp][] = [
    ['a wrong checksum', { bytes: `${hundred[1]?.bytes.slice(0, -8)}00000000` }, /wrong checksum/],
    ['another id', { id: other.id }, /do not match its id/],
    ['other bytes', { bytes: other.bytes }, /do not match its id/],
    ['another index', { index: '2' }, /another index/],
    ['no index', { index: '' }, /another index/],
    ['a character that is no digit', { bytes: `0xzz${hundred[1]?.bytes.slice(4)}` }, /not a hex digit/],
    [
      'a character that is no digit, later',
      { bytes: `${hundred[1]?.bytes.slice(0, -6)}g${hundred[1]?.bytes.slice(-5)}` },
      /not a hex/,
    ],
    ['half a byte', { bytes: hundred[1]?.bytes.slice(0, -1) ?? '' }, /wrong length/],
    ['no bytes', { bytes: '0x' }, /wrong length/],
    ['text without 0x', { bytes: 'abcd' }, /not hex text/],
    ['an unreadable timestamp', { timestamp: 'yesterday' }, /timestamp/],
    ['a time before the year 1678', { timestamp: '0001-01-01T00:00:00Z' }, /impossible timestamp/],
    ['a time after the year 2262', { timestamp: '2300-01-01T00:00:00Z' }, /impossible timestamp/],
    ['a container twice', { id: hundred[0]?.id ?? '', bytes: hundred[0]?.bytes ?? '' }, /also at an earlier index/],
    ['another encoding', { encoding: 'json' }, /encoded/],
  ]

  test.each(damages)('with %s is retried', async (_, damage) => {
    const { node, api } = await serve(hundred, (_call, honest, count) =>
      count === 0 ? honest.map((container, i) => (i === 1 ? { ...container, ...damage } : container)) : undefined,
    )
    expect((await api.window(0, 3)).map(({ id }) => id)).toEqual(hundred.slice(0, 3).map(({ id }) => id))
    expect(node.ranges()).toHaveLength(2)
  })

  test.each(damages)('with %s is an error when no tries are left', async (_, damage, message) => {
    const { node, api } = await serve(hundred, (_call, honest) =>
      honest.map((container, i) => (i === 1 ? { ...container, ...damage } : container)),
    )
    const error = await failure(api.window(0, 3))
    expect(error).toBeInstanceOf(DecodeError)
    expect(error.message).toMatch(message)
    expect(error).toMatchObject({ exitCode: 4, details: { path: 'X/tx', index: 1 } })
    expect(node.ranges()).toHaveLength(4)
  })

  test('with a wrong id is an error that names both ids and the first bytes', async () => {
    const { api } = await serve(hundred, () => [{ ...hundred[0], id: other.id } as Written])
    const error = await failure(api.window(0, 1))
    expect(error.details).toMatchObject({ 'id given': other.id, 'id derived': hundred[0]?.id })
    expect(error.details['bytes']).toBe(`0x${'01'.repeat(32)}… (100 bytes)`)
  })

  test('with more containers than requested is refused', async () => {
    const { api } = await serve(hundred, () => hundred.slice(0, 3))
    expect((await failure(api.window(0, 2))).message).toContain('it has 3 containers instead of 2')
  })
})

describe('the window size', () => {
  const large = Array.from({ length: 40 }, (_, index) => written(index, bytesOf(index, 400_000)))

  test('shrinks to keep answers below 8 MiB, and every container arrives', async () => {
    const { node, api } = await serve(large)
    expect(api.windowSize()).toBe(1024)
    const window = await api.window(0, 40)
    expect(window.map(({ id }) => id)).toEqual(large.map(({ id }) => id))
    expect(api.windowSize()).toBeLessThan(10)
    const sizes = node.ranges().map(({ numToFetch }) => numToFetch)
    expect(Math.max(...sizes.slice(-5))).toBeLessThan(10)
  })

  test('grows again when containers are small', async () => {
    const small = Array.from({ length: 3000 }, (_, index) => written(index + 40, Buffer.from(`${index}`.padStart(50))))
    const { api } = await serve([...large, ...small])
    await api.window(0, 40)
    const shrunk = api.windowSize()
    await api.window(40, 3040)
    expect(shrunk).toBeLessThan(10)
    expect(api.windowSize()).toBe(1024)
  })

  test('allows a single container of any size', async () => {
    const { api } = await serve([written(0, Buffer.alloc(6_000_000, 7))])
    expect(await api.window(0, 1)).toHaveLength(1)
    expect(api.windowSize()).toBe(1)
  })

  test('shrinks when a proxy or the node refuses the answer as too large', async () => {
    const { api } = await serve(hundred, ({ numToFetch }) => (numToFetch > 10 ? { status: 413 } : undefined))
    expect(await api.window(0, 100)).toHaveLength(100)
    expect(api.windowSize()).toBeLessThanOrEqual(20)
  })
})

describe('a node that does not answer so many containers at once', () => {
  test.each<[string, Reply]>([
    ['a gateway timeout', { status: 504, body: '<html>504</html>' }],
    ['status 524', { status: 524, body: 'error code: 524' }],
    ['an error in words of its own', { body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"zu viel"},"id":1}' }],
    ['a truncated answer', { fault: 'cut', body: '{"jsonrpc":"2.0","result":{"contain' }],
  ])('gets smaller requests after %s, and keeps them small', async (_, reply) => {
    const { node, api } = await serve(hundred, ({ numToFetch }) => (numToFetch > 10 ? reply : undefined))
    expect((await api.window(0, 100)).map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, at) => at))
    expect(api.windowSize()).toBeLessThanOrEqual(10)
    expect(node.ranges().filter(({ numToFetch }) => numToFetch > 10).length).toBeLessThanOrEqual(10)
  })

  test('in time gets smaller requests', async () => {
    const { api } = await serve(hundred, ({ numToFetch }) => (numToFetch > 40 ? { fault: 'hang' } : undefined), {
      timeoutMs: 100,
    })
    expect(await api.window(0, 100)).toHaveLength(100)
    expect(api.windowSize()).toBeLessThanOrEqual(40)
  })

  test('gets requests of the same size when a single container fails likewise', async () => {
    let left = 5
    const { node, api } = await serve(hundred, () => (left-- > 0 ? { status: 503, body: 'busy' } : undefined))
    expect(await api.window(0, 100)).toHaveLength(100)
    expect(node.ranges().map(({ numToFetch }) => numToFetch)).toEqual([100, 100, 1, 1, 100, 100])
    expect(api.windowSize()).toBe(1024)
  })
})

describe('a single container', () => {
  test('is read as the last accepted one or by its index', async () => {
    const { api } = await serve(hundred)
    expect(await api.lastAccepted()).toMatchObject({ index: 99, id: hundred[99]?.id })
    expect(await api.container(42)).toMatchObject({ index: 42, id: hundred[42]?.id })
    expect(await failure(api.container(100))).toBeInstanceOf(RpcError)
  })

  test('does not exist in an empty index', async () => {
    const { node, api } = await serve([])
    expect(await api.lastAccepted()).toBeNull()
    expect(node.received).toHaveLength(1)
  })

  test('of an index that the node does not have is an error at once', async () => {
    const { node, api } = await serve(hundred, undefined, { path: 'P/block' })
    const error = (await failure(api.lastAccepted() as Promise<unknown>)) as unknown as HttpError
    expect(error).toMatchObject({ code: 'transport.no-index', status: 404 })
    expect(node.received).toHaveLength(1)
  })
})

test('the same containers arrive when every third request fails', async () => {
  const faults: (Reply | Written[])[] = [
    { fault: 'reset' },
    { status: 500 },
    { status: 429, headers: { 'retry-after': '0.01' } },
    { status: 503, body: 'API call rejected because chain is not done bootstrapping' },
    { body: '{"jsonrpc":"2.0","result":{"contain' },
    { fault: 'cut', body: '{"jsonrpc":"2.0","result":{"contain' },
    { status: 429, body: '{}' },
    [],
    [{ ...hundred[50], bytes: hundred[51]?.bytes } as Written],
  ]
  let next = 0
  const { node, api } = await serve(hundred, (_, __, count) =>
    count % 3 === 2 ? faults[next++ % faults.length] : undefined,
  )
  const windows = await Promise.all(Array.from({ length: 50 }, (_, i) => api.window(i * 2, i * 2 + 2)))
  expect(windows.flat().map(({ id }) => id)).toEqual(hundred.map(({ id }) => id))
  expect(node.ranges().length).toBeGreaterThan(70)
})

test('a request that always fails ends with an error that names it', async () => {
  const { node, api } = await serve(hundred, () => ({ status: 500, body: 'oops' }), { tries: 3 })
  const error = (await failure(api.window(0, 5))) as unknown as TransportError
  expect(error.message).toBe(`${node.url}/ext/index/X/tx answers with status 500 (3 tries).`)
  expect(error.details).toMatchObject({ request: 'index.getContainerRange', tries: 3, answer: 'oops' })
  expect(error.hint).toBe('The service failed. Run again later, or see its log if you run it yourself.')
})
