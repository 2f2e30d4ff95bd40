import { afterEach, describe, expect, test } from 'vitest'
import { HttpError, RateLimitError, RpcError, type TransportError } from '../../src/errors.ts'
import { callRpc, callRpcBatch } from '../../src/fetch/json-rpc.ts'
import { createTransport, type Retry, type Transport } from '../../src/fetch/transport.ts'
import { type LocalServer, quick, startServer } from './local-server.ts'

let server: LocalServer
let transport: Transport
afterEach(async () => {
  await transport.close()
  await server.close()
})

/** Starts a service that gives these answers in turn; `ID` is replaced by the id of the request. */
async function serve(...texts: string[]): Promise<void> {
  server = await startServer(({ body }, count) => ({
    body: (texts[Math.min(count, texts.length - 1)] ?? '').replace(
      'ID',
      String((JSON.parse(body) as { id: number }).id),
    ),
  }))
  transport = createTransport({ baseUrl: server.url, ...quick, tries: 3 })
}

const call = (options = {}) => callRpc(transport, '/ext/bc/P', 'platform.thing', { a: 1 }, options)

test('a call sends a JSON-RPC 2.0 request and returns its result', async () => {
  await serve('{"jsonrpc":"2.0","result":{"height":"7"},"id":ID}')
  expect(await call()).toEqual({ height: '7' })
  const { path, headers, body } = server.received[0]!
  expect(path).toBe('/ext/bc/P')
  expect(headers['content-type']).toBe('application/json')
  expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', method: 'platform.thing', params: { a: 1 } })
})

test('a call keeps integers beyond 2^53 exact, unless another parser is given', async () => {
  await serve('{"jsonrpc":"2.0","result":[18446744073709551615,-9007199254740993,7,1.5],"id":ID}')
  expect(await call()).toEqual([18446744073709551615n, -9007199254740993n, 7, 1.5])
  expect(await call({ parse: JSON.parse })).toEqual([2 ** 64, -(2 ** 53), 7, 1.5])
})

test('a call accepts a result of null and reads text beyond ASCII', async () => {
  await serve('{"id":ID,"result":null}', '{"id":ID,"result":"Zürich ✓"}')
  expect(await call()).toBeNull()
  expect(await call()).toBe('Zürich ✓')
})

describe('an error object', () => {
  test('throws an RpcError with its code and message and is not retried', async () => {
    await serve('{"jsonrpc":"2.0","error":{"code":-32000,"message":"not found","data":null},"id":ID}')
    const error = await call().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ rpcCode: -32000, message: 'platform.thing failed: not found', retryable: false })
    expect(server.received).toHaveLength(1)
  })

  test('shows no secret of the URL that the node repeats, and neither does one of a batch', async () => {
    const key = 'abcdefghij0123456789'
    const refusal = { code: -32600, message: `invalid project id ${key}` }
    server = await startServer(({ body }) => {
      const sent = JSON.parse(body) as { id: number } | { id: number }[]
      const refused = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, error: refusal })
      return { body: JSON.stringify(Array.isArray(sent) ? sent.map(refused) : refused(sent)) }
    })
    transport = createTransport({ baseUrl: `${server.url}/v3/${key}`, ...quick })
    const expected = { answer: 'invalid project id …', message: 'eth_chainId failed: invalid project id …' }
    const chainId = { method: 'eth_chainId', params: [] }
    const error = await callRpc(transport, '', chainId.method, chainId.params).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ ...expected, details: { 'error message': 'invalid project id …' } })
    const outcomes = await callRpcBatch(transport, '', [chainId, chainId])
    expect(outcomes).toMatchObject([{ error: expected }, { error: expected }])
  })

  test('without an id, as after a parse error, throws an RpcError', async () => {
    await serve('{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"},"id":null}')
    await expect(call()).rejects.toMatchObject({ rpcCode: -32700 })
  })

  test('that is only a text throws an RpcError', async () => {
    await serve('{"error":"overloaded"}')
    await expect(call()).rejects.toThrow('platform.thing failed: overloaded')
  })

  test('about a limit is retried', async () => {
    await serve('{"id":ID,"error":{"code":-32005,"message":"limit exceeded"}}', '{"id":ID,"result":1}')
    expect(await call()).toBe(1)
  })
})

describe('an error object in an answer without success', () => {
  const serveStatus = async (status: number, body: string, headers: Record<string, string> = {}) => {
    server = await startServer(() => ({ status, body, headers }))
    transport = createTransport({ baseUrl: server.url, ...quick, tries: 2 })
    return await call().catch((reason: unknown) => reason)
  }
  const refusal = (code: number | string, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })

  test.each([400, 403, 404, 413, 422, 500, 503])('is read as one, whatever the status: %i', async (status) => {
    const error = await serveStatus(status, refusal(-32_602, 'block range too large'))
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({
      rpcCode: -32_602,
      answer: 'block range too large',
      status,
      details: { status, 'error code': -32_602 },
    })
    expect(server.received).toHaveLength(1)
  })

  test.each([
    [502, -32_000],
    [503, -32_603],
    [500, -32_603],
  ])('is retried like the status %i, if the code %i does not say that the request is wrong', async (status, code) => {
    expect(await serveStatus(status, refusal(code, 'upstream'))).toMatchObject({ rpcCode: code, retryable: true })
    expect(server.received).toHaveLength(2)
  })

  test.each([
    [401, refusal(-32_002, 'invalid project id')],
    [402, refusal(-32_000, 'pay first')],
    [503, '{"error":"overloaded"}'],
    [504, '{"message":"Endpoint request timed out"}'],
    [502, '<html>502 Bad Gateway</html>'],
  ])('is none where the status says more: %i %s', async (status, body) => {
    expect(await serveStatus(status, body)).toBeInstanceOf(HttpError)
  })

  test('about credentials is part of the error', async () => {
    const error = await serveStatus(401, refusal(-32_002, 'invalid project id'))
    expect(error).toMatchObject({ code: 'transport.unauthorized', details: { answer: 'invalid project id' } })
  })

  test('is the answer to a batch, if calls of it failed', async () => {
    server = await startServer(({ body }) => {
      const [{ id }, other] = JSON.parse(body)
      const answers = [
        { id, result: 1 },
        { id: other.id, error: { code: -32_000, message: 'no' } },
      ]
      return { status: 500, body: JSON.stringify(answers) }
    })
    transport = createTransport({ baseUrl: server.url, ...quick })
    const calls = ['eth_a', 'eth_b'].map((method) => ({ method, params: [] }))
    expect(await callRpcBatch(transport, '/rpc', calls)).toMatchObject([{ result: 1 }, { error: { rpcCode: -32_000 } }])
  })
})

describe('a rate limit', () => {
  const forms: [string, number, string][] = [
    ['QuickNode', 200, '{"code":-32007,"message":"15/second request limit reached - upgrade your account"}'],
    ['proxyd', 200, '{"code":-32016,"message":"over rate limit"}'],
    ['Ankr', 200, '{"code":-32090,"message":"Too many requests, reason: call rate limit exhausted, retry in 1ms"}'],
    ['Infura', 200, '{"code":-32005,"message":"project ID request rate exceeded"}'],
    ['dRPC', 200, '{"code":15,"message":"Too many request, try again later"}'],
    ['others', 200, '{"code":-32029,"message":"Too Many Requests"}'],
    ['a code as text', 200, '{"code":"429","message":"no"}'],
    ['Alchemy', 429, '{"code":429,"message":"exceeded its compute units per second capacity"}'],
    ['a status with an error object', 429, '{"code":-32000,"message":"no"}'],
    ['no code that anybody knows', 200, '{"code":-32000,"message":"You reached your limit of 25 RPS"}'],
    ['another status', 403, '{"code":-32600,"message":"Request throttled"}'],
  ]
  test.each(forms)('in the words of %s waits, more often than there are tries', async (_, status, error) => {
    const retries: Retry[] = []
    server = await startServer(({ body }, count) => {
      const { id } = JSON.parse(body) as { id: number }
      return count < 4 ? { status, body: `{"id":${id},"error":${error}}` } : { body: `{"id":${id},"result":"good"}` }
    })
    transport = createTransport({ baseUrl: server.url, ...quick, tries: 2, onRetry: (retry) => retries.push(retry) })
    expect(await call()).toBe('good')
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
  })

  test('that lasts ends the request with an error that a later run may overcome', async () => {
    await serve('{"id":ID,"error":{"code":-32007,"message":"15/second request limit reached"}}')
    const error = await call().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ code: 'transport.rate-limit', retryable: true })
    expect(server.received).toHaveLength(10)
  })

  test.each<[string, Record<string, string>, string]>([
    ['words', {}, '{"code":-32005,"message":"rate limit: try again in 0.05 s"}'],
    ['a field', {}, '{"code":-32005,"message":"rate limit","data":{"rate":{"backoff_seconds":0.05}}}'],
    ['another field', {}, '{"code":-32005,"message":"rate limit","data":{"try_again_in":"50ms"}}'],
    ['a header', { 'retry-after': '0.05' }, '{"code":-32005,"message":"rate limit"}'],
  ])('waits as long as %s demand', async (_, headers, error) => {
    const retries: Retry[] = []
    server = await startServer(({ body }, count) => {
      const { id } = JSON.parse(body) as { id: number }
      return { headers, body: count === 0 ? `{"id":${id},"error":${error}}` : `{"id":${id},"result":"good"}` }
    })
    transport = createTransport({ baseUrl: server.url, ...quick, onRetry: (retry) => retries.push(retry) })
    expect(await call()).toBe('good')
    expect(retries[0]!.waitMs).toBeGreaterThanOrEqual(45)
  })

  test.each([
    ['{"code":3,"message":"execution reverted: rate limit exceeded","data":"0x"}'],
    ['{"code":-32000,"message":"execution reverted: Too many requests"}'],
    ['{"code":-32000,"message":"receipts are not generated yet"}'],
  ])('is none in %s', async (error) => {
    await serve(`{"id":ID,"error":${error}}`)
    await expect(call()).rejects.toBeInstanceOf(RpcError)
    expect(server.received).toHaveLength(1)
  })

  test('of some calls of a batch repeats only those, as long as some are answered', async () => {
    const sent: number[] = []
    server = await startServer(({ body }) => {
      const calls = JSON.parse(body) as { id: number }[]
      sent.push(calls.length)
      const limited = { code: 429, message: 'exceeded the limit' }
      return {
        body: JSON.stringify(calls.map(({ id }, at) => (at < 2 ? { id, result: id } : { id, error: limited }))),
      }
    })
    transport = createTransport({ baseUrl: server.url, ...quick, tries: 1 })
    const calls = Array.from({ length: 11 }, () => ({ method: 'eth_a', params: [] }))
    const results = (await callRpcBatch(transport, '/rpc', calls)).map(
      (outcome) => (outcome as { result: number }).result,
    )
    expect(results).toEqual([...results].sort((a, b) => a - b))
    expect(sent).toEqual([11, 9, 7, 5, 3, 1])
  })
})

test('an id may come back as text, of a call and of a batch', async () => {
  server = await startServer(({ body }) => {
    const calls = JSON.parse(body) as { id: number } | { id: number }[]
    const answer = ({ id }: { id: number }) => ({ id: String(id), result: id })
    return { body: JSON.stringify(Array.isArray(calls) ? calls.map(answer).reverse() : answer(calls)) }
  })
  transport = createTransport({ baseUrl: server.url, ...quick, tries: 1 })
  expect(await call()).toEqual(expect.any(Number))
  const calls = ['eth_a', 'eth_b'].map((method) => ({ method, params: [] }))
  const [first, second] = (await callRpcBatch(transport, '/rpc', calls)) as { result: number }[]
  expect(second!.result - first!.result).toBe(1)
})

describe('a call is retried after', () => {
  test.each([
    ['a truncated answer', '{"jsonrpc":"2.0","result":{"contain'],
    ['an empty answer', ''],
    ['an answer that is no object', '[]'],
    ['the answer to another request', '{"id":-1,"result":0}'],
    ['an answer without result and error', '{"id":ID}'],
    ['the page of a proxy', '<html>'],
  ])('%s', async (_, text) => {
    await serve(text, '{"id":ID,"result":"good"}')
    expect(await call()).toBe('good')
    expect(server.received).toHaveLength(2)
  })

  test('an answer that is not UTF-8', async () => {
    const damaged = (id: number) => Buffer.from(`{"id":${id},"result":"Zürich"}`, 'latin1')
    const bodies = [damaged, (id: number) => Buffer.from(`{"id":${id},"result":"Zürich"}`)]
    server = await startServer(({ body }, count) => ({ body: bodies[Math.min(count, 1)]!(JSON.parse(body).id) }))
    transport = createTransport({ baseUrl: server.url, ...quick, tries: 3 })
    expect(await call()).toBe('Zürich')
    expect(server.received).toHaveLength(2)
  })

  test('an unreadable answer, until the last try fails with an error that names method and path', async () => {
    await serve('<html>')
    const error = (await call().catch((reason: unknown) => reason)) as TransportError
    expect(error).toMatchObject({ code: 'transport.unreadable', details: { request: 'platform.thing', tries: 3 } })
    expect(error.message).toBe(`The answer of ${server.url}/ext/bc/P cannot be read (3 tries).`)
  })
})

describe('a batch', () => {
  const calls = [
    { method: 'eth_a', params: ['0x1'] },
    { method: 'eth_b', params: [] },
  ]
  const batch = () => callRpcBatch(transport, '/ext/bc/C/rpc', calls)

  /** Starts a service that answers batches in turn; each function makes an answer from the ids of the batch. */
  async function serveBatches(...answers: ((ids: readonly number[]) => unknown)[]): Promise<void> {
    server = await startServer(({ body }, count) => {
      const ids = (JSON.parse(body) as { id: number }[]).map(({ id }) => id)
      return { body: JSON.stringify(answers[Math.min(count, answers.length - 1)]!(ids)) }
    })
    transport = createTransport({ baseUrl: server.url, ...quick, tries: 3 })
  }
  const good = ([a, b]: readonly number[]) => [
    { jsonrpc: '2.0', id: b, error: { code: -32601, message: 'no such method' } },
    { jsonrpc: '2.0', id: a, result: null },
  ]

  test('returns the result of each call in the order of the calls, whatever the order of the answers', async () => {
    await serveBatches(good)
    const [first, second] = await batch()
    expect(first).toEqual({ result: null })
    expect(second).toMatchObject({ error: { rpcCode: -32601, message: 'eth_b failed: no such method' } })
    const [sent] = server.received.map(({ body }) => JSON.parse(body))
    expect(sent).toMatchObject(calls.map((call) => ({ jsonrpc: '2.0', ...call })))
    expect(sent[0].id).not.toBe(sent[1].id)
  })

  test.each<[string, (ids: readonly number[]) => unknown]>([
    ['has no answer to a call', ([id]) => [{ id, result: 1 }]],
    [
      'has another call',
      ([id]) => [
        { id, result: 1 },
        { id: -1, result: 1 },
      ],
    ],
    [
      'has a call that was limited',
      ([a, b]) => [
        { id: a, result: 1 },
        { id: b, error: { code: -32005 } },
      ],
    ],
    ['holds what is no answer', ([a, b]) => [{ id: a, result: 1 }, { id: b }]],
    [
      'has two answers to a call',
      ([a, b]) => [
        { id: a, result: 1 },
        { id: b, result: 1 },
        { id: b, result: 2 },
      ],
    ],
    ['is not a list', () => ({ result: 1 })],
    ['was limited as a whole', () => ({ error: { code: -32005, message: 'slow down' } })],
  ])('is retried when its answer %s', async (_, damaged) => {
    await serveBatches(damaged, good)
    expect(await batch()).toHaveLength(2)
    expect(server.received).toHaveLength(2)
  })

  const refusal = { id: null, error: { code: -32600, message: 'batch too large' } }
  test.each([[refusal], [[refusal]]])(
    'that the service refuses throws one error, which names all its calls',
    async (answer) => {
      await serveBatches(() => answer)
      await expect(batch()).rejects.toMatchObject({
        rpcCode: -32600,
        message: 'eth_a, eth_b (batch of 2) failed: batch too large',
      })
      expect(server.received).toHaveLength(1)
    },
  )
})
