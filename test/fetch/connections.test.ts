import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type Connections, createConnections, StalledError } from '../../src/fetch/connections.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

async function open(server: Server | RawServer, timeoutMs = 5_000): Promise<Connections> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connections = createConnections(`http://127.0.0.1:${port}`, { most: 2, timeoutMs })
  cleanups.push(connections.close, () => server.close())
  return connections
}

const asking = { method: 'POST', path: '/', headers: {}, body: 'all' } as const
const { signal } = new AbortController()

/** A server that answers with the number of connections that there were. */
function countingServer(): Server {
  const sockets = new Set<unknown>()
  return createServer((incoming, response) => {
    sockets.add(incoming.socket)
    response.end(String(sockets.size))
  })
}

test('a connection is used again', async () => {
  const connections = await open(countingServer())
  for (let i = 0; i < 3; i++) expect(await text(await connections.ask({ ...asking, signal }))).toBe('1')
})

test('no request meets the end of a connection that the server has announced', async () => {
  const server = countingServer()
  // Says `keep-alive: timeout=1`.
  server.keepAliveTimeout = 1_000
  const connections = await open(server)
  expect(await text(await connections.ask({ ...asking, signal }))).toBe('1')
  await sleep(200)
  expect(await text(await connections.ask({ ...asking, signal }))).toBe('2')
})

test('a request has its own time on a connection that was idle', async () => {
  const server = createServer((_, response) => {
    setTimeout(() => response.end('late'), 1_500)
  })
  server.keepAliveTimeout = 2_000
  const connections = await open(server, 10_000)
  for (let i = 0; i < 2; i++) expect(await text(await connections.ask({ ...asking, signal }))).toBe('late')
})

test.each([
  ['says nothing', '', 'no-head'],
  ['stops in the middle', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'no-more'],
])('a server that %s has stalled', async (_, said, code) => {
  const sockets: Socket[] = []
  const server = createRawServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined).once('data', () => socket.write(said))
  })
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  const connections = await open(server, 200)
  const failure = await connections
    .ask({ ...asking, signal })
    .then(text, (error) => error)
    .catch((error) => error)
  expect(failure).toBeInstanceOf(StalledError)
  expect(failure.code).toBe(code)
})

test('closing fails what is under way', async () => {
  const connections = await open(createServer(() => undefined))
  const asked = connections.ask({ ...asking, signal })
  await sleep(100)
  connections.close()
  await expect(asked).rejects.toThrow()
})
