import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { openWebSocket } from '../../src/fetch/web-socket.ts'
import { proxyFor } from '../../src/lib/proxy.ts'
import { namesProxy } from '../../src/lib/proxy-variables.ts'
import { openS3Store } from '../../src/store/s3-store.ts'
import { s3PlaceAt } from '../store/s3-place-at.ts'
import { accessKey, startS3Server } from '../store/s3-server.ts'
import { startServer } from './local-server.ts'
import { startProxy } from './proxy-server.ts'

afterEach(() => vi.unstubAllEnvs())

/** Starts a proxy and names it in the variables. */
async function useProxy(login?: string) {
  const proxy = await startProxy(login === undefined ? {} : { login: decodeURIComponent(login) })
  onTestFinished(() => proxy.close())
  const url = `http://${login === undefined ? '' : `${login}@`}127.0.0.1:${proxy.port}`
  vi.stubEnv('http_proxy', url)
  vi.stubEnv('HTTPS_PROXY', url)
  return proxy
}

/** The URL of a server under a name that only the proxy knows. */
const hidden = (url: string, name = 'node.internal') => url.replace('127.0.0.1', name)

const request = { method: 'POST', path: '/ext/info', body: '{}' } as const
const quick = { tries: 1, timeoutMs: 5_000 }

test('requests by HTTP go through the proxy with the whole URL, and the proxy alone gets its password', async () => {
  const proxy = await useProxy('user:p%40ss')
  const server = await startServer(() => ({ body: 'answer' }))
  onTestFinished(() => server.close())
  const transport = createTransport({ baseUrl: `${hidden(server.url)}/key`, ...quick })
  const answer = await transport.request(request)
  expect(Buffer.from(answer.body).toString()).toBe('answer')
  expect(proxy.requests).toEqual([`POST ${hidden(server.url)}/key/ext/info`])
  expect(server.received[0]).toMatchObject({ path: '/key/ext/info', headers: { host: hidden(server.url).slice(7) } })
  expect(JSON.stringify(server.received)).not.toMatch(/proxy-authorization/i)
  await transport.close()
})

test('requests by HTTPS go through a tunnel, in which TLS begins', async () => {
  const proxy = await useProxy()
  const bytes: number[] = []
  const target = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (data: Buffer) => {
      bytes.push(data[0] ?? 0)
      socket.destroy()
    })
  })
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  onTestFinished(() => void target.close())
  const { port } = target.address() as AddressInfo
  const transport = createTransport({ baseUrl: `https://service.internal:${port}`, ...quick })
  await expect(transport.request(request)).rejects.toMatchObject({ exitCode: 3 })
  expect(proxy.requests).toEqual([`CONNECT service.internal:${port}`])
  expect(bytes).toEqual([0x16])
  await transport.close()
})

test('a WebSocket goes through a tunnel', async () => {
  const proxy = await useProxy()
  const node = await startDevnet({ seed: 1, blocks: 3 })
  onTestFinished(() => node.close())
  const url = `${hidden(node.url).replace('http', 'ws')}/ext/bc/C/ws`
  await new Promise<void>((onOpen, fail) => {
    const socket = openWebSocket({
      url,
      timeoutMs: 5_000,
      onText: () => undefined,
      onEnd: (reason) => fail(new Error(reason)),
      onOpen: () => {
        socket.close()
        onOpen()
      },
    })
  })
  expect(proxy.requests).toEqual([`CONNECT ${new URL(url).host}`])
})

test('files in S3 go through a tunnel', async () => {
  const proxy = await useProxy()
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const server = await startS3Server()
  onTestFinished(() => void server.close())
  const lake = mkdtempSync(join(tmpdir(), 'chainlake-proxy-'))
  const store = openS3Store({ ...s3PlaceAt(server, lake, 'a'), endpoint: hidden(server.url, 's3.internal') })
  expect(await store.list('data/')).toEqual([])
  expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT ${new URL(hidden(server.url, 's3.internal')).host}`]))
})

test('an error of the proxy names the proxy and what to do, without its password', async () => {
  await useProxy('user:wrong')
  const other = await startProxy({ login: 'user:right' })
  onTestFinished(() => other.close())
  const url = `http://user:wrong@127.0.0.1:${other.port}`
  vi.stubEnv('HTTPS_PROXY', url)
  const refusing = createTransport({ baseUrl: 'https://service.internal', ...quick })
  const refused = await refusing.request(request).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'transport.proxy', message: expect.stringContaining('HTTP 407'), exitCode: 3 })
  vi.stubEnv('http_proxy', url)
  const plain = createTransport({ baseUrl: 'http://node.internal:9650', ...quick })
  const unknown = await plain.request(request).catch((error: unknown) => error)
  expect(unknown).toMatchObject({ code: 'transport.proxy', message: expect.stringContaining('HTTP 407') })
  other.close()
  const gone = createTransport({ baseUrl: 'http://node.internal:9650', ...quick })
  const unreachable = await gone.request(request).catch((error: unknown) => error)
  expect(unreachable).toMatchObject({ message: expect.stringContaining(`The proxy 127.0.0.1:${other.port}`) })
  vi.stubEnv('http_proxy', 'socks5://user:secret@proxy:1080')
  const wrong = createTransport({ baseUrl: 'http://node.internal:9650', ...quick })
  const mistaken = await wrong.request(request).catch((error: unknown) => error)
  expect(mistaken).toMatchObject({ code: 'config.proxy', exitCode: 2 })
  for (const error of [refused, unknown, unreachable, mistaken])
    expect(JSON.stringify([String(error), error])).not.toMatch(/wrong@|secret|dXNlcjp3cm9uZw/)
  for (const transport of [refusing, plain, gone, wrong]) await transport.close()
})

test.each([
  ['http://node.internal:9650', '', true],
  ['https://node.internal', '', true],
  ['http://127.0.0.1:9650', '', false],
  ['http://127.8.9.1', '', false],
  ['http://[::1]:9650', '', false],
  ['http://localhost:9650', '', false],
  ['http://node.localhost', '', false],
  ['http://node.internal', 'node.internal', false],
  ['http://Node.Internal', 'other, NODE.internal', false],
  ['http://a.node.internal', 'node.internal', false],
  ['http://a.node.internal', '.internal', false],
  ['http://a.node.internal', '*.internal', false],
  ['http://mynode.internal', 'node.internal', true],
  ['http://node.internal:9650', 'node.internal:9650', false],
  ['http://node.internal:9651', 'node.internal:9650', true],
  ['https://node.internal', 'node.internal:443', false],
  ['http://node.internal', '*', false],
  ['http://10.1.2.3', '10.0.0.0/8', false],
  ['http://11.1.2.3', '10.0.0.0/8', true],
  ['http://10.1.2.3:9650', '10.1.2.3', false],
  ['http://10.1.2.30', '10.1.2.3', true],
  ['http://[fd00::1]:9650', 'fd00::/8', false],
  ['http://[fd00::1]', '[fd00::1]', false],
  ['http://[2001:db8::1]', 'fd00::/8', true],
  ['http://10.1.2.3', '10.0.0.0/99', true],
])('%s with NO_PROXY=%s: through the proxy is %s', (url, except, isProxied) => {
  const env = { HTTP_PROXY: 'proxy.example:3128', https_proxy: 'http://proxy.example:3128', NO_PROXY: except }
  expect(proxyFor(url, env)?.name ?? null).toBe(isProxied ? 'proxy.example:3128' : null)
})

test('without a variable nothing is proxied', () => {
  expect(namesProxy({ http_proxy: '', NO_PROXY: '*' })).toBe(false)
  expect(namesProxy({ HTTPS_PROXY: 'http://proxy' })).toBe(true)
  expect(proxyFor('http://node.internal', { HTTPS_PROXY: 'http://proxy' })).toBeNull()
})
