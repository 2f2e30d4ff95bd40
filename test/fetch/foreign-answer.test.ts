import { afterEach, describe, expect, test } from 'vitest'
import type { HttpError } from '../../src/errors.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { packageVersion } from '../../src/lib/package.ts'
import { quick, type Reply, startServer } from './local-server.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const advice = { 401: 'Look at the key.', 403: 'Look at the key.', 404: 'Look at the ids.', 429: 'Lower the units.' }

async function failureOf(reply: Reply, path = '/v1/blocks') {
  const server = await startServer(() => reply)
  const transport = createTransport({ baseUrl: server.url, ...quick, tries: 2, advice })
  cleanups.push(server.close, transport.close)
  const error = await transport.request({ method: 'GET', path }).catch((failure: HttpError) => failure)
  return { error: error as HttpError, requests: server.received.length, url: `${server.url}${path}` }
}

const json = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'This API key is not allowed', statusCode: status, error: 'Forbidden' }),
})
const cloudflare = `<!DOCTYPE html>
<html class="no-js" lang="en-US"><head><title>Attention Required! | Cloudflare</title>
<style>body{margin:0}</style><script>if (a < b) { window.x = '<p>no</p>' }</script></head>
<body><!-- a comment --><h1>Sorry, you have been <b>blocked</b></h1></body></html>`

describe('a 403', () => {
  test('from the service is an error about the API key', async () => {
    const { error } = await failureOf(json(403))
    expect(error).toMatchObject({ code: 'transport.forbidden', hint: 'Look at the key.' })
    expect(error.details['answer']).toBe('This API key is not allowed')
  })

  const pages: [string, Reply][] = [
    ['with a page', { status: 403, headers: { 'content-type': 'text/html; charset=UTF-8' }, body: cloudflare }],
    ['with a page that says nothing of its type', { status: 403, body: `\uFEFF\n${cloudflare.toLowerCase()}` }],
    ['without a text', { status: 403, headers: { 'content-type': 'text/html' } }],
    [
      'with the code of a firewall',
      { status: 403, headers: { 'content-type': 'text/plain' }, body: 'error code: 1020' },
    ],
  ]
  test.each(pages)('from a firewall %s is reported as blocked', async (_, reply) => {
    const { error, requests, url } = await failureOf(reply)
    expect(error).toMatchObject({ code: 'transport.blocked', status: 403, retryable: false, exitCode: 3 })
    expect(error.message).toBe(`${url} is blocked (403): a web page answers, not the service.`)
    expect(error.hint).toContain(`allow chainlake/${packageVersion()}`)
    expect(error.hint).not.toContain('Look at the key')
    expect(requests).toBe(1)
  })

  test('from a firewall shows the text of its page without the tags', async () => {
    const { error } = await failureOf({ status: 403, body: cloudflare })
    expect(error.details['answer']).toBe('Attention Required! | Cloudflare Sorry, you have been blocked')
  })

  test('with JSON under a wrong content type is treated as an answer of the service', async () => {
    const { error } = await failureOf({ ...json(403), headers: { 'content-type': 'text/html' } })
    expect(error.code).toBe('transport.forbidden')
  })

  test('in plain text from a node is treated as an answer of the node', async () => {
    const { error } = await failureOf({ status: 403, headers: { 'content-type': 'text/plain' }, body: 'invalid host' })
    expect(error.code).toBe('transport.forbidden')
  })
})

test.each([
  [
    401,
    'transport.unauthorized',
    /demands credentials \(401\)\.$/,
    /^A proxy in front of the service demands credentials/,
  ],
  [404, 'transport.not-found', /a web page answers there, not the service\.$/, /website or proxy answers instead/],
  [400, 'transport.http', /refuses the request \(400\) with a web page\.$/, /check the URL/],
  [
    429,
    'transport.rate-limit',
    /demands fewer requests \(429\) \(7 tries\)\.$/,
    /^A proxy in front of the service throttles/,
  ],
  [
    503,
    'transport.http',
    /answers with status 503 and a web page \(2 tries\)\.$/,
    /^A proxy answers instead of the service/,
  ],
  [302, 'transport.redirect', /redirects to another URL/, /Give the final URL/],
])('status %i with a web page has its own message and hint', async (status, code, message, hint) => {
  const { error } = await failureOf({ status, body: '<html><body>Sorry</body></html>' })
  expect(error.code).toBe(code)
  expect(error.message).toMatch(message)
  expect(error.hint).toMatch(hint)
})

test('a web page at the path of an index does not mean that the node has no index', async () => {
  const page = { status: 404, body: '<html><title>404 Not Found</title></html>' }
  expect((await failureOf(page, '/ext/index/P/block')).error.code).toBe('transport.not-found')
})

test('the error about an unreadable answer shows the text of a web page without its tags', async () => {
  const server = await startServer(() => ({ body: '<html><head><title>Log in</title></head></html>' }))
  const transport = createTransport({ baseUrl: server.url, ...quick, tries: 1 })
  cleanups.push(server.close, transport.close)
  const parse = ({ body }: { body: Buffer }): unknown => JSON.parse(body.toString())
  const error = transport.request({ method: 'GET', path: '/v1/blocks', parse })
  await expect(error).rejects.toMatchObject({ code: 'transport.unreadable', details: { answer: 'Log in' } })
})
