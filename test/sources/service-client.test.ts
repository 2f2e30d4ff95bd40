import { afterEach, describe, expect, test } from 'vitest'
import type { ServiceRequest } from '../../src/define/index.ts'
import { ConfigError, DecodeError, type HttpError, type RateLimitError } from '../../src/errors.ts'
import { createRateLimit, type RateLimitOptions } from '../../src/fetch/limits.ts'
import type { Retry } from '../../src/fetch/transport.ts'
import { createServiceClient, type ServiceClient } from '../../src/sources/service-client.ts'
import { hostsOf, type ServiceProfile } from '../../src/sources/service-profile.ts'
import { type LocalServer, type Reply, startServer } from '../fetch/local-server.ts'
import { profileAt } from './service-profile-at.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serve(reply: (count: number) => Reply): Promise<LocalServer> {
  const server = await startServer((_, count) => reply(count))
  cleanups.push(server.close)
  return server
}

async function open(
  replies: Reply[],
  changes: Partial<ServiceProfile> = {},
  options: { tries?: number; onRetry?: (retry: Retry) => void } = {},
): Promise<{ data: LocalServer; metrics: LocalServer; client: ServiceClient }> {
  const reply = (count: number) => replies[Math.min(count, replies.length - 1)] ?? {}
  const [data, metrics] = [await serve(reply), await serve(reply)]
  const profile = { ...profileAt(data.url, metrics.url), ...changes }
  // A short window of the limit keeps the waits short.
  const rateLimit = (_: string, given: RateLimitOptions) => createRateLimit({ ...given, windowMs: 1000 })
  const client = createServiceClient({ hosts: hostsOf(profile), rateLimit, ...options })
  cleanups.push(client.close)
  return { data, metrics, client }
}

const blocks: ServiceRequest = { host: 'data', method: 'GET', path: '/v1/blocks', query: {}, weight: 'small' }
const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) })
const same = (answer: unknown) => answer
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it succeeded'),
    (error) => error,
  )

describe('a request', () => {
  test('writes its query: no undefined values, lists as repeated keys, numbers as digits', async () => {
    const { data, client } = await open([json({})])
    const query = { a: 'x y&z', b: undefined, types: ['A', 'B'], none: [], big: 1e21, part: 0.5, yes: true }
    await client.ask({ ...blocks, query }, { parse: same })
    await client.ask(blocks, { parse: same })
    expect(data.received.map(({ path }) => path)).toEqual([
      '/v1/blocks?a=x+y%26z&types=A&types=B&big=1000000000000000000000&part=0.5&yes=true',
      '/v1/blocks',
    ])
    expect(data.received[0]?.headers).not.toHaveProperty('content-type')
  })

  test('sends a body as JSON and accepts any 2xx status', async () => {
    const { data, client } = await open([json({ utxos: [] }, 201)])
    const request = { ...blocks, method: 'POST', body: { addresses: 'a,b' } } as const
    expect(await client.ask(request, { parse: same })).toEqual({ utxos: [] })
    expect(data.received[0]).toMatchObject({ method: 'POST', body: '{"addresses":"a,b"}' })
    expect(data.received[0]?.headers['content-type']).toBe('application/json')
  })

  test('sends its key to the data host and never to the metrics host', async () => {
    const { data, metrics, client } = await open([json({})], { key: 'topsecretkey' })
    await client.ask(blocks, { parse: same })
    await client.ask({ ...blocks, host: 'metrics' }, { parse: same })
    expect(data.received[0]?.headers['x-service-api-key']).toBe('topsecretkey')
    expect(JSON.stringify(metrics.received)).not.toContain('topsecretkey')
  })

  test('does not follow a redirect, so the key reaches no other host', async () => {
    const other = await serve(() => json({}))
    const location = `${other.url}/v1/blocks`
    const { client } = await open([{ status: 302, headers: { location } }], { key: 'topsecretkey' })
    const error = await failureOf(client.ask(blocks, { parse: same }))
    expect(error).toMatchObject({ code: 'transport.redirect', retryable: false })
    expect(other.received).toHaveLength(0)
  })
})

describe('an answer', () => {
  test.each([
    ['{"a":18446744073709551615,"b":7}', { a: 18446744073709551615n, b: 7 }],
    ['[ -9007199254740993]', [-9007199254740993n]],
    ['{"a":"18446744073709551615","b":1.5}', { a: '18446744073709551615', b: 1.5 }],
    ['{"a":"Zürich: 1234567890123456789"}', { a: 'Zürich: 1234567890123456789' }],
  ])('like %s keeps large integers exact', async (body, expected) => {
    const { client } = await open([{ body }])
    expect(await client.ask(blocks, { parse: same })).toEqual(expected)
  })

  test.each(['', '<html>', '{"blocks":[', 'null {'])('that is no JSON (%j) is retried', async (body) => {
    const { client } = await open([{ body }, json({ fine: 1 })])
    expect(await client.ask(blocks, { parse: same })).toEqual({ fine: 1 })
  })

  test('that the decoder refuses ends the request without a retry', async () => {
    const { data, client } = await open([json({})])
    const parse = () => {
      throw new DecodeError('blocks is missing')
    }
    await expect(client.ask(blocks, { parse })).rejects.toThrow('blocks is missing')
    expect(data.received).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test.each([
    [400, 'transport.http', /See the answer for the reason/],
    [401, 'transport.unauthorized', /key, from the environment or a file. chainlake sends it as x-service-api-key/],
    [403, 'transport.forbidden', /does not permit this request/],
    [404, 'transport.not-found', /no longer has this route, or it does not know an id/],
  ])('with status %i ends at once, with the message of the service and a hint', async (status, code, hint) => {
    const { data, client } = await open([
      json({ message: ['no such', 'thing'], statusCode: status, error: 'E' }, status),
    ])
    const error = (await failureOf(client.ask(blocks, { parse: same }))) as HttpError
    expect(error).toMatchObject({ status, code, retryable: false, exitCode: 3 })
    expect(error.details['answer']).toBe('no such; thing')
    expect(error.details['request']).toBe('GET /v1/blocks')
    expect(error.hint).toMatch(hint)
    expect(data.received).toHaveLength(1)
  })

  test('with status 401 and a key reports an unknown key and does not print the key', async () => {
    const { client } = await open([json({ message: 'who is topsecretkey?' }, 401)], { key: 'topsecretkey' })
    const error = (await failureOf(client.ask(blocks, { parse: same }))) as HttpError
    expect(error.hint).toMatch(/does not know the key/)
    expect(error.details['answer']).toBe('who is …?')
    expect(JSON.stringify([error.message, error.details, error.hint])).not.toContain('topsecretkey')
  })

  test.each([429, 409])('with status %i is retried', async (status) => {
    const retries: Retry[] = []
    const { client } = await open([{ status }, json({ fine: 1 })], {}, { onRetry: (retry) => retries.push(retry) })
    expect(await client.ask(blocks, { parse: same })).toEqual({ fine: 1 })
    expect(retries).toMatchObject([{ attempt: 1, reason: expect.stringContaining(`(${status})`) }])
  })

  test('that is not UTF-8 is requested again, and its text is never changed', async () => {
    const damaged = { body: Buffer.from('{"name":"Zürich"}', 'latin1') }
    const { data, client } = await open([damaged, json({ name: 'Zürich' })])
    expect(await client.ask(blocks, { parse: same })).toEqual({ name: 'Zürich' })
    expect(data.received).toHaveLength(2)
  })

  test('with status 429 is a RateLimitError when no tries are left', async () => {
    const { data, client } = await open([json({ message: 'slow down' }, 429)], {}, { tries: 2 })
    const error = (await failureOf(client.ask(blocks, { parse: same }))) as RateLimitError
    expect(error).toMatchObject({
      name: 'RateLimitError',
      details: { answer: 'slow down', tries: data.received.length },
    })
    expect(error.hint).toMatch(/the units per minute of the profile test/)
  })

  test('with Retry-After is waited for once', async () => {
    const { data, client } = await open([{ status: 429, headers: { 'retry-after': '1' } }, json({})])
    const started = performance.now()
    await client.ask(blocks, { parse: same })
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
    expect(data.received).toHaveLength(2)
  })
})

test.each([{ key: 'two words' }, { key: 'line\n' }, { keyHeader: 'a b' }, { dataUrl: 'nowhere' }])(
  'a profile with %j is refused, and the error does not contain the key',
  (changes) => {
    const profile = { ...profileAt('http://127.0.0.1:1', 'http://127.0.0.1:1'), ...changes }
    const error = (() => {
      try {
        return createServiceClient({ hosts: hostsOf(profile) })
      } catch (reason) {
        return reason
      }
    })()
    expect(error).toBeInstanceOf(ConfigError)
    if (changes.key !== undefined) expect(JSON.stringify(error) + (error as Error).message).not.toContain(changes.key)
  },
)
