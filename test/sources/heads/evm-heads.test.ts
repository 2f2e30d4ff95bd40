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
}

/** Listens to a local server until the subscription ends, or until as many heads arrived. */
async function listen({ answer, timeoutMs = 2000, url = (port) => `ws://127.0.0.1:${port}/ws` }: Serving, heads = 99) {
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
    upgrades.upgrade(request, socket, head)
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

test.each(Object.entries(faults))('ends once and says why: %s', async (_, [serving, expected]) => {
  const { heard, sockets } = await listen(serving)
  expect(heard).toEqual(expected)
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true)
})
