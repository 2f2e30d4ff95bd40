import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createSocketServer, frameOf } from '../../../devnet/http/websocket.ts'
import { listenToHeads } from '../../../src/sources/evm-heads.ts'

/** What a real node sent: the answer to the subscription, the refusal of an unknown one, and three heads. */
const recorded: { answer: string; refusal: string; heads: string[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/recorded/evm/heads.json', import.meta.url), 'utf8'),
)

type Serving = {
  /** Answers the subscription; gets the connection to break it. */
  readonly answer: (send: (text: string) => void, socket: Duplex, request: string) => void
  readonly timeoutMs?: number
  readonly url?: (port: number) => string
  /** Answers the upgrade in place of the WebSocket. */
  readonly instead?: (socket: Duplex) => void
}

/** Listens to a local server until the subscription ends, or until as many heads arrived. */
async function listen(
  { answer, timeoutMs = 2000, instead, url = (port) => `ws://127.0.0.1:${port}/ws` }: Serving,
  heads = 99,
) {
  const sockets: Duplex[] = []
  const headers: Record<string, unknown>[] = []
  const server = createServer((_, response) => response.writeHead(404).end())
  const upgrades = createSocketServer([
    {
      path: '/ws',
      open: (send) => ({
        receive: (text) => answer(send, sockets.at(-1) as Duplex, text),
        close: () => undefined,
      }),
    },
  ])
  server.on('upgrade', (request, socket, head) => {
    sockets.push(socket)
    headers.push({ ...request.headers, path: request.url })
    if (instead === undefined) return upgrades.upgrade(request, socket, head)
    socket.on('end', () => socket.end()).on('error', () => socket.destroy())
    instead(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    upgrades.closeAll()
    server.close()
  })
  const heard: string[] = []
  await new Promise<void>((resolve) => {
    const close = listenToHeads(
      url((server.address() as AddressInfo).port),
      {
        onListening: () => heard.push('listening'),
        onHead: () => {
          if (heard.push('head') < heads + 1) return
          close()
          resolve()
        },
        onEnd: (reason) => {
          heard.push(reason)
          resolve()
        },
      },
      timeoutMs,
    )
    onTestFinished(close)
  })
  return { heard, headers, sockets }
}

test('announces the heads that a real node sent, and ends the connection at once when it is closed', async () => {
  const requests: unknown[] = []
  const { heard, sockets } = await listen(
    {
      answer: (send, _, request) => {
        requests.push(JSON.parse(request))
        for (const text of [recorded.answer, ...recorded.heads]) send(text)
      },
    },
    3,
  )
  expect(requests).toEqual([{ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }])
  expect(heard).toEqual(['listening', 'head', 'head', 'head'])
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test('sends credentials as a header, the query as it is, and names the program', async () => {
  const { headers } = await listen(
    {
      answer: (send) => [recorded.answer, recorded.heads[0]!].forEach(send),
      url: (port) => `ws://user:word@127.0.0.1:${port}/ws?key=1`,
    },
    1,
  )
  expect(headers[0]).toMatchObject({
    authorization: `Basic ${Buffer.from('user:word').toString('base64')}`,
    path: '/ws?key=1',
    'user-agent': expect.stringMatching(/^chainlake\//),
  })
})

const subscribed = (text: string): Serving['answer'] => {
  return (send) => [recorded.answer, text].forEach(send)
}
const [head] = recorded.heads as [string]
const noBlock = 'it sent a message that announces no block of the subscription'
const faults: Record<string, [Serving, string[]]> = {
  'a path without WebSocket': [
    { answer: () => undefined, url: (port) => `ws://127.0.0.1:${port}/other` },
    ['the server refused it or did not answer'],
  ],
  'a port without server': [
    { answer: () => undefined, url: () => 'ws://127.0.0.1:1/ws' },
    ['the server refused it or did not answer'],
  ],
  'no answer to the subscription': [
    { answer: () => undefined, timeoutMs: 100 },
    ['the server did not answer the subscription in time'],
  ],
  'a refused subscription': [
    { answer: (send) => send(recorded.refusal) },
    ['the server refused the subscription to newHeads'],
  ],
  'a subscription without id': [
    { answer: (send) => send('{"jsonrpc":"2.0","id":1,"result":null}') },
    ['the server refused the subscription to newHeads'],
  ],
  'no JSON': [{ answer: subscribed('<html>') }, ['listening', 'it sent a message that is not JSON-RPC']],
  'a list': [{ answer: subscribed('[]') }, ['listening', 'it sent a message that is not JSON-RPC']],
  'another subscription': [{ answer: subscribed(head.replace('0x5fcd', '0x5fce')) }, ['listening', noBlock]],
  'a head without number': [{ answer: subscribed(head.replace('"number"', '"nummer"')) }, ['listening', noBlock]],
  'a number beyond 64 bits': [
    { answer: subscribed(head.replace('"number":"0x', `"number":"0x${'f'.repeat(16)}`)) },
    ['listening', noBlock],
  ],
  'a connection that breaks': [
    {
      answer: (send, socket) => {
        send(recorded.answer)
        setTimeout(() => socket.destroy(), 20)
      },
    },
    ['listening', 'the connection closed with code 1006'],
  ],
  'a close message': [
    {
      answer: (send, socket) => {
        send(recorded.answer)
        socket.write(frameOf('close', Buffer.from([0x03, 0xf3])))
      },
    },
    ['listening', 'the connection closed with code 1011'],
  ],
  'bytes that are no frame': [
    {
      answer: (send, socket) => {
        send(recorded.answer)
        socket.write(Buffer.alloc(100, 0xff))
      },
    },
    ['listening', expect.stringMatching(/^the connection closed with code 100\d$/)],
  ],
  'a message of more than a megabyte': [
    { answer: subscribed(`{"x":"${'y'.repeat(1 << 20)}"}`) },
    ['listening', expect.stringMatching(/^the connection closed with code 100\d$/)],
  ],
}

const [mebibyte, text, beginning, more, binary, ping] = [1 << 20, 0x81, 0x01, 0x00, 0x82, 0x89]
/** A frame with any first byte. */
const frame = (first: number, payload: Buffer) => {
  const bytes = frameOf('text', payload)
  bytes[0] = first
  return bytes
}
/** Sends bytes as fast as the client takes them. */
const flood =
  (bytes: Buffer): Serving['answer'] =>
  (send, socket) => {
    send(recorded.answer)
    const pour = (): void => {
      for (let more = true; more && !socket.destroyed; ) more = socket.write(bytes)
    }
    socket.on('drain', pour)
    pour()
  }
const refusal = 'the server refused it or did not answer'
const answering =
  (lines: string, body?: Buffer): NonNullable<Serving['instead']> =>
  (socket) => {
    socket.write(`HTTP/1.1 ${lines}\r\n\r\n`)
    if (body !== undefined) flood(body)(() => undefined, socket, '')
  }
const tooMuch = 'it sent more than 1.0 MB within a second'

const hostile: Record<string, [Serving, unknown[]]> = {
  'announcements without end': [{ answer: flood(frameOf('text', Buffer.from(head))) }, ['listening', tooMuch]],
  'pings without end': [{ answer: flood(frame(ping, Buffer.alloc(100))) }, ['listening', tooMuch]],
  'a message of 50 MB': [
    { answer: flood(frame(text, Buffer.alloc(50 * mebibyte, ' '))) },
    ['listening', expect.stringMatching(/^the connection closed with code 100\d$/)],
  ],
  'a message of 50 MB in fragments': [
    {
      answer: (send, socket) => {
        send(recorded.answer)
        for (let at = 0; at < 200; at++)
          socket.write(frame(at === 0 ? beginning : more, Buffer.alloc(mebibyte / 4, ' ')))
      },
    },
    ['listening', expect.stringMatching(/^the connection closed with code 100\d$/)],
  ],
  'a binary message': [
    { answer: (send, socket) => [send(recorded.answer), socket.write(frame(binary, Buffer.from(head)))] },
    ['listening', 'it sent a binary message'],
  ],
  'a redirection': [
    { answer: () => undefined, instead: answering('302 Found\r\nlocation: http://127.0.0.1:1/') },
    [refusal],
  ],
  'a page instead of a WebSocket': [
    { answer: () => undefined, instead: answering('200 OK\r\ncontent-type: text/html', Buffer.alloc(mebibyte, ' ')) },
    [refusal],
  ],
  'another protocol': [
    { answer: () => undefined, instead: answering('101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade') },
    [refusal],
  ],
}

test.each(Object.entries({ ...faults, ...hostile }))('ends once and says why: %s', async (_, [serving, expected]) => {
  const { heard, sockets } = await listen(serving, Number.POSITIVE_INFINITY)
  expect(heard.filter((what) => what !== 'head')).toEqual(expected)
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true)
})
