import { afterEach, describe, expect, test } from 'vitest'
import {
  ConfigError,
  HttpError,
  PostponedError,
  RateLimitError,
  TimeoutError,
  TransportError,
} from '../../src/errors.ts'
import { connectionFailure } from '../../src/fetch/failures.ts'
import { createTransport, type Retry, type Transport, type TransportOptions } from '../../src/fetch/transport.ts'
import type { LongWait } from '../../src/fetch/waits.ts'
import { type LocalServer, quick, type Reply, startServer } from './local-server.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serve(
  replies: Reply[] | ((count: number) => Reply | Promise<Reply>),
  options: Partial<TransportOptions> = {},
): Promise<{ server: LocalServer; transport: Transport; retries: Retry[] }> {
  const server = await startServer((_, count) =>
    typeof replies === 'function' ? replies(count) : (replies[Math.min(count, replies.length - 1)] ?? {}),
  )
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

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => expect.fail('the request succeeded'),
    (error: unknown) => error,
  )
}

const get = { method: 'GET', path: '/thing' } as const
const ok: Reply = { body: 'fine' }

describe('a request', () => {
  test('sends method, path, headers and body, and returns status, headers and body', async () => {
    const { server, transport } = await serve([{ status: 201, headers: { 'x-one': 'a' }, body: 'made' }])
    const answer = await transport.request({ method: 'POST', path: '/a?b=c', headers: { 'x-two': 'b' }, body: 'sent' })
    expect(answer.status).toBe(201)
    expect(answer.headers['x-one']).toBe('a')
    expect(answer.body.toString()).toBe('made')
    expect(server.received).toMatchObject([
      { method: 'POST', path: '/a?b=c', body: 'sent', headers: { 'x-two': 'b', connection: 'keep-alive' } },
    ])
  })

  test('keeps the prefix and the query of the base URL and sends its credentials only in a header', async () => {
    const { server } = await serve([ok])
    const transport = createTransport({
      baseUrl: `${server.url.replace('//', '//us%40er:pass%3Aword@')}/node/?key=topsecret`,
      ...quick,
    })
    cleanups.push(transport.close)
    await transport.request({ method: 'GET', path: '/ext/info' })
    await transport.request({ method: 'GET', path: '/ext/health?tag=a' })
    expect(server.received.map(({ path }) => path)).toEqual([
      '/node/ext/info?key=topsecret',
      '/node/ext/health?tag=a&key=topsecret',
    ])
    const expected = `Basic ${Buffer.from('us@er:pass:word').toString('base64')}`
    expect(server.received[0]?.headers['authorization']).toBe(expected)
    expect(transport.url).toBe(`${server.url}/node/?…`)
  })

  test('reads an answer that arrived while this thread computed for longer than the total time', async () => {
    const body = 'x'.repeat(5_000_000)
    const { transport, retries } = await serve(
      () => {
        // The server has begun to send, but the client has not read anything yet.
        setImmediate(() => {
          const until = performance.now() + 400
          while (performance.now() < until);
        })
        return { body }
      },
      { totalTimeoutMs: 200 },
    )
    expect((await transport.request(get)).body).toHaveLength(body.length)
    expect(retries).toEqual([])
  })

  test('waits while as many requests as the concurrency are running', async () => {
    const { server, transport } = await serve(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return ok
      },
      { concurrency: 3 },
    )
    await Promise.all(Array.from({ length: 12 }, () => transport.request(get)))
    expect(server.received).toHaveLength(12)
    expect(server.busiest()).toBe(3)
  })
})

describe('the transport retries after', () => {
  const passing: [string, Reply][] = [
    ['a reset connection', { fault: 'reset' }],
    ['a body cut short', { fault: 'cut', body: 'half' }],
    ...[202, 206, 408, 425, 429, 500, 502, 503, 504].map((status): [string, Reply] => [`status ${status}`, { status }]),
  ]
  test.each(passing)('%s', async (_, reply) => {
    const { server, transport, retries } = await serve([reply, reply, ok])
    expect((await transport.request(get)).body.toString()).toBe('fine')
    expect(server.received).toHaveLength(3)
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(retries[0]?.url).toBe(`${server.url}/thing`)
  })

  test('an answer that does not arrive in time', async () => {
    const { transport, retries } = await serve([{ fault: 'hang' }, ok], { timeoutMs: 100, totalTimeoutMs: 20_000 })
    expect((await transport.request(get)).body.toString()).toBe('fine')
    expect(retries[0]?.reason).toMatch(/the request timed out/)
  })

  test('an answer that stops arriving', async () => {
    const { transport, retries } = await serve([{ fault: 'stall', body: 'half' }, ok], {
      timeoutMs: 100,
      totalTimeoutMs: 20_000,
    })
    expect((await transport.request(get)).body.toString()).toBe('fine')
    expect(retries[0]?.reason).toMatch(/stopped coming/)
  })

  test('an answer that exceeds the total time, until no tries are left', async () => {
    const { transport } = await serve([{ fault: 'hang' }], { totalTimeoutMs: 50, tries: 2 })
    const error = await failure(transport.request(get))
    expect(error).toBeInstanceOf(TimeoutError)
    expect((error as Error).message).toMatch(/within 50 ms \(2 tries\)/)
  })

  test('an answer that cannot be parsed', async () => {
    const { transport, retries } = await serve([{ body: '{"a":' }, { body: '{"a":1}' }])
    const parsed = await transport.request({ ...get, parse: ({ body }) => JSON.parse(body.toString()) as unknown })
    expect(parsed).toEqual({ a: 1 })
    expect(retries[0]?.reason).toMatch(/cannot be read/)
  })

  test('a refused connection before the first answer, for the given time only', async () => {
    const { server, transport, retries } = await serve([ok], { firstContactMs: 60, tries: 1 })
    await server.close()
    const startedMs = performance.now()
    const error = (await failure(transport.request(get))) as TransportError
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toMatch(/connection refused \(\d+ tries\)\.$/)
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(60)
    const [first, ...others] = retries
    expect(first?.unreached).toBe('first')
    expect(new Set(others.map(({ unreached }) => unreached))).toEqual(new Set(['again']))
    expect(retries.every(({ waitMs }) => waitMs <= 60)).toBe(true)
  })

  test('a refused connection after an answer, until no tries are left', async () => {
    const { server, transport, retries } = await serve([ok], { firstContactMs: 1, tries: 6 })
    await transport.request(get)
    await server.close()
    const error = (await failure(transport.request(get))) as TransportError
    expect(error.details).toMatchObject({ tries: 6 })
    expect(retries.map(({ unreached }) => unreached)).toEqual(Array(5).fill(undefined))
  })

  test('a refused connection, until no tries are left', async () => {
    const { server, transport, retries } = await serve([ok], { tries: 3 })
    await server.close()
    const error = (await failure(transport.request({ ...get, label: 'the thing' }))) as TransportError
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toBe(`No answer from ${server.url}/thing: connection refused (3 tries).`)
    expect(error.details).toMatchObject({ tries: 3, cause: 'ECONNREFUSED', request: 'the thing' })
    expect(error.retryable).toBe(true)
    expect(retries).toHaveLength(2)
  })
})

describe('the transport does not retry after', () => {
  test.each([
    [401, 'transport.unauthorized', /user:password@host/],
    [403, 'transport.forbidden', /allowed-hosts/],
    [404, 'transport.not-found', /URL/],
    [405, 'transport.http', /URL/],
    [415, 'transport.http', /URL/],
  ])('status %i', async (status, code, hint) => {
    const { server, transport } = await serve([{ status, body: 'no such\n thing' }])
    const error = (await failure(transport.request(get))) as HttpError
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({ status, code, retryable: false, exitCode: 3 })
    expect(error.hint).toMatch(hint)
    expect(error.details['answer']).toBe('no such thing')
    expect(server.received).toHaveLength(1)
  })

  test('a 404 of an index, which means that the node has no index for this chain', async () => {
    const { transport } = await serve([{ status: 404, body: '404 page not found\n' }])
    const error = (await failure(transport.request({ method: 'POST', path: '/ext/index/P/block' }))) as HttpError
    expect(error).toMatchObject({ code: 'transport.no-index', retryable: false })
    expect(error.message).toMatch(/no index for this chain/)
    expect(error.hint).toMatch(/--index-enabled/)
  })

  test.each([
    ['/ext/bc/C/admin', /"admin-api-enabled": true/],
    ['/ext/health', /--api-health-enabled=true/],
    ['/ext/health/liveness?tag=11111', /--api-health-enabled=true/],
    ['/', /A node serves its C-Chain at \/ext\/bc\/C\/rpc\.$/],
    ['/ext/bc/C/rpc', /^Check the URL; the service may not offer this interface\.$/],
  ])('a 404 of %s, and the hint names the setting that enables the API, if there is one', async (path, hint) => {
    const { transport } = await serve([{ status: 404, body: '404 page not found\n' }])
    const error = (await failure(transport.request({ method: 'POST', path }))) as HttpError
    expect(error).toMatchObject({ code: 'transport.not-found', retryable: false })
    expect(error.hint).toMatch(hint)
  })

  test('a redirect, which it does not follow and which gets no credentials', async () => {
    const other = await startServer(() => ok)
    cleanups.push(other.close)
    const { server } = await serve([{ status: 307, headers: { location: `${other.url}/there?token=abcdef` } }])
    const transport = createTransport({ baseUrl: server.url.replace('//', '//user:password@'), ...quick })
    cleanups.push(transport.close)
    const error = (await failure(transport.request(get))) as HttpError
    expect(error.code).toBe('transport.redirect')
    expect(error.hint).toContain(`${other.url}/there?…`)
    expect(error.hint).not.toContain('abcdef')
    expect(other.received).toHaveLength(0)
  })

  test.each([
    ['https://node.example/ext/info', 'Give the final URL: https://node.example.'],
    ['/login', 'Give the final URL: it redirects to SERVER/login.'],
    ['/ext/info', /^It redirects to itself: /],
  ])('a redirect of a node to %s', async (location, hint) => {
    const { server } = await serve([{ status: 302, headers: { location } }])
    const transport = createTransport({ baseUrl: server.url, ...quick })
    cleanups.push(transport.close)
    const error = (await failure(transport.request({ ...get, path: '/ext/info' }))) as HttpError
    expect(error.hint?.replace(server.url, 'SERVER')).toMatch(hint)
  })

  test('a failed TLS handshake with a service that speaks plain HTTP', async () => {
    const { server } = await serve([ok])
    const transport = createTransport({ baseUrl: server.url.replace('http:', 'https:'), ...quick })
    cleanups.push(transport.close)
    const error = await failure(transport.request(get))
    expect(error).toMatchObject({ code: 'transport.tls', retryable: false, hint: expect.stringContaining('http://') })
    expect((error as Error).message).toMatch(/does not speak TLS\.$/)
  })

  test.each([
    'Client sent an HTTP request to an HTTPS server.',
    '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>',
  ])('plain HTTP to a port for HTTPS: %s', async (body) => {
    const { transport } = await serve([{ status: 400, body }])
    const error = await failure(transport.request(get))
    expect(error).toMatchObject({ code: 'transport.tls', hint: 'Begin the URL with https:// instead of http://.' })
    expect((error as Error).message).toMatch(/is a port for HTTPS \(400\)\.$/)
  })

  test('plain HTTP to a port for HTTPS that closes the connection', () => {
    const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    const hintFor = (url: string) => connectionFailure(cause, { url }).hint
    expect(hintFor('http://node.example:9650')).toMatch(/ A port for HTTPS needs https:\/\/ in the URL\.$/)
    expect(hintFor('https://node.example:9650')).not.toContain('needs https')
  })

  test('a service that speaks HTTP/2 only', () => {
    const cause = Object.assign(new Error('alert'), { code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' })
    const { message, hint } = connectionFailure(cause, { url: 'https://node.example' })
    expect(message).toBe('No answer from https://node.example: the service does not speak HTTP/1.1.')
    expect(hint).toBe('A service that speaks HTTP/2 only needs a proxy in front that speaks HTTP/1.1.')
  })

  test('an answer that is larger than allowed', async () => {
    const { server, transport } = await serve([{ body: 'x'.repeat(5000) }], { maxBytes: 4999 })
    const error = (await failure(transport.request(get))) as TransportError
    expect(error).toMatchObject({ code: 'transport.too-large', retryable: false })
    expect(server.received).toHaveLength(1)
    expect((await transport.request({ ...get, maxBytes: 5000 })).body).toHaveLength(5000)
  })

  test('an answer of undeclared length that grows larger than allowed', async () => {
    const { transport } = await serve([{ headers: { 'transfer-encoding': 'chunked' }, body: 'x'.repeat(500_000) }])
    const error = await failure(transport.request({ ...get, maxBytes: 100_000 }))
    expect(error).toMatchObject({ code: 'transport.too-large' })
  })
})

describe('a node that is bootstrapping', () => {
  test('is retried, and the final error reports the bootstrapping', async () => {
    const text = 'API call rejected because chain is not done bootstrapping'
    const { server, transport } = await serve([{ status: 503, body: text }], { tries: 3 })
    const error = (await failure(transport.request({ method: 'POST', path: '/ext/bc/P' }))) as HttpError
    expect(server.received).toHaveLength(3)
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({ code: 'transport.bootstrapping', status: 503, retryable: true })
    expect(error.message).toMatch(/still bootstrapping this chain \(503\) \(3 tries\)/)
    expect(error.hint).toMatch(/index API keeps answering/)
  })
})

describe('Retry-After', () => {
  test('in seconds makes every request wait', async () => {
    const { server, transport, retries } = await serve(
      (count) => (count === 0 ? { status: 429, headers: { 'retry-after': '1' } } : ok),
      { concurrency: 1 },
    )
    const started = performance.now()
    await Promise.all([transport.request(get), transport.request(get)])
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
    expect(server.received).toHaveLength(3)
    expect(retries[0]?.waitMs).toBeGreaterThanOrEqual(990)
  })

  test('as an HTTP date makes the request wait', async () => {
    const date = new Date(Date.now() + 2000).toUTCString()
    const { transport, retries } = await serve([{ status: 503, headers: { 'retry-after': date } }, ok])
    await transport.request(get)
    expect(retries[0]?.waitMs).toBeGreaterThan(500)
    expect(retries[0]?.waitMs).toBeLessThanOrEqual(2000)
  })

  test.each([429, 503])(
    'of a day ends a request that got a %d, and later requests end before they are sent',
    async (status) => {
      const { server, transport } = await serve([{ status, headers: { 'retry-after': '86400' } }, ok])
      const error = (await failure(transport.request(get))) as PostponedError
      expect(error).toBeInstanceOf(PostponedError)
      expect(error).toMatchObject({ code: 'postponed.wait', exitCode: 7, retryable: false })
      expect(error.message).toBe(`${server.url}/ accepts no requests for 1 d 0 h or longer (Retry-After).`)
      expect(error.resumeAt.getTime() - Date.now()).toBeGreaterThan(86_390_000)
      expect(error.details['not before']).toBe(error.resumeAt.toISOString())
      expect(await failure(transport.request(get))).toBeInstanceOf(PostponedError)
      expect(server.received).toHaveLength(1)
    },
  )

  test.each(['1000000000', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'of %s is cut to a day, and the error reports the cut',
    async (header) => {
      const { transport } = await serve([{ status: 429, headers: { 'retry-after': header } }, ok])
      const error = (await failure(transport.request(get))) as PostponedError
      expect(error.message).toContain('for 1 d 0 h or longer (Retry-After)')
      expect(error.details).toMatchObject({ 'longest pause': '1 d 0 h' })
      expect(error.resumeAt.getTime() - Date.now()).toBeLessThanOrEqual(86_400_000)
      expect(error.details['not before']).toMatch(/^\d{4}-/)
    },
  )

  test('is waited for up to the longest allowed wait, and a long wait is reported once', async () => {
    const told: LongWait[] = []
    const { server, transport } = await serve([{ status: 503, headers: { 'retry-after': '301' } }], {
      onLongWait: (wait) => told.push(wait),
      concurrency: 1,
    })
    const stop = new AbortController()
    const requests = [1, 2, 3].map(() => transport.request({ ...get, signal: stop.signal }))
    setTimeout(() => stop.abort(new Error('stopped')), 100)
    await Promise.allSettled(requests)
    expect(told).toMatchObject([{ url: `${server.url}/`, said: 'Retry-After', maxWaitMs: 900_000 }])
    expect(server.received).toHaveLength(1)
    const { transport: impatient } = await serve([{ status: 503, headers: { 'retry-after': '2' } }], {
      maxWaitMs: 1999,
    })
    expect(await failure(impatient.request(get))).toBeInstanceOf(PostponedError)
  })

  test('alone postpones a run: waits between tries after a failure may be longer than the longest allowed wait', async () => {
    const { server, transport } = await serve([{ status: 500 }], { tries: 3, maxWaitMs: 0 })
    expect(await failure(transport.request(get))).toMatchObject({ code: 'transport.http', exitCode: 3 })
    expect(server.received).toHaveLength(3)
  })

  test('is part of the error when no tries are left', async () => {
    const { transport } = await serve([{ status: 429, headers: { 'retry-after': '0.02' } }], { tries: 2 })
    const error = (await failure(transport.request(get))) as RateLimitError
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error.retryAfterMs).toBe(20)
  })
})

describe('a signal', () => {
  test('ends a running request', async () => {
    const { transport } = await serve([{ fault: 'hang' }])
    const stop = new AbortController()
    const request = transport.request({ ...get, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stopped')), 30)
    // The request hangs: without the stop it would end with another error.
    await expect(request).rejects.toThrow('stopped')
  })

  test('ends a wait and removes queued requests', async () => {
    const { server, transport } = await serve([{ status: 503, headers: { 'retry-after': '60' } }], { concurrency: 1 })
    const stop = new AbortController()
    const requests = Array.from({ length: 20 }, () => transport.request({ ...get, signal: stop.signal }))
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    const results = await Promise.allSettled(requests)
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } })
    expect(server.received).toHaveLength(1)
  })

  test('that is already aborted prevents the request', async () => {
    const { server, transport } = await serve([ok])
    await expect(transport.request({ ...get, signal: AbortSignal.abort(new Error('never')) })).rejects.toThrow('never')
    expect(server.received).toHaveLength(0)
  })
})

describe('closing', () => {
  test('fails running and later requests', async () => {
    const { transport } = await serve([{ fault: 'hang' }])
    const request = transport.request(get)
    setTimeout(transport.close, 20)
    await expect(request).rejects.toMatchObject({ code: 'transport.closed' })
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'transport.closed' })
  })
})

test('no message contains a secret of the URL, however the service spells it', async () => {
  const inUrl = ['hunter2%20secret', 'query%2Bsecret%3d', 'abcdefghij%7E0123456789']
  const secrets = [...inUrl, ...inUrl.map(decodeURIComponent), 'query%2Bsecret%3D']
  const echo = (count: number): Reply => ({ status: count === 0 ? 500 : 401, body: secrets.join(' ') })
  const { server } = await serve(echo)
  const retries: Retry[] = []
  const transport = createTransport({
    baseUrl: `${server.url.replace('//', '//user:hunter2%20secret@')}/abcdefghij%7E0123456789?key=query%2Bsecret%3d`,
    ...quick,
    onRetry: (retry) => retries.push(retry),
  })
  cleanups.push(transport.close)
  const error = (await failure(transport.request({ method: 'GET', path: '/ext/info' }))) as HttpError
  const told = JSON.stringify([transport.url, retries, error.message, error.details, error.hint])
  for (const secret of [...secrets, Buffer.from('user:hunter2 secret').toString('base64')])
    expect(told).not.toContain(secret)
  expect(error.message).toContain(`${server.url}/…/ext/info?…`)
})

test.each(['%s is wrong', 'wrong: %s'])(
  'the error about an answer that is no JSON contains no secret: %s',
  async (said) => {
    const secret = 'abcdefghij0123456789'
    const { transport } = await serve([{ body: said.replace('%s', secret) }], { secrets: [secret], tries: 2 })
    const parse = ({ body }: { body: Buffer }): unknown => JSON.parse(body.toString())
    const error = (await failure(transport.request({ ...get, parse }))) as TransportError
    const told = [JSON.stringify(error.details), String((error.cause as Error).cause)].join()
    expect(error.details).toMatchObject({ answer: said.replace('%s', '…') })
    expect(error.details['cause']).toMatch(/^Unexpected token '.'$/)
    expect(told).not.toContain(secret.slice(0, 6))
  },
)

test.each(['127.0.0.1:9650', 'http//x', '', 'ftp://host', 'http://'])('the transport refuses the URL %j', (baseUrl) => {
  expect(() => createTransport({ baseUrl })).toThrow(ConfigError)
})
