import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createFrameReader, frameOf } from './frames.ts'

/** Answers the text messages of one connection. */
export type Session = {
  receive(text: string): void
  /** Called when the connection has ended. */
  close(): void
}

/** A path that accepts WebSockets; `send` sends a text message to the client. */
export type SocketRoute = { readonly path: string; readonly open: (send: (text: string) => void) => Session }

/** Added to the client's key. Only a server that knows the protocol computes the right answer (RFC 6455, 1.3). */
const protocolId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const protocolError = 1002

/** Upgrades connections that request it. Returns a function that closes all of them. */
export function createSocketServer(routes: readonly SocketRoute[]) {
  const open = new Set<Duplex>()
  return {
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const route = routes.find((each) => each.path === path)
      const key = request.headers['sec-websocket-key']
      if (route === undefined || typeof key !== 'string') {
        socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
        return
      }
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      accept(socket, key)
      converse(socket, head, route)
    },
    closeAll: (): void => {
      for (const socket of open) socket.destroy()
    },
  }
}

function accept(socket: Duplex, key: string): void {
  const answer = hash('sha1', key + protocolId, 'base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade']
  socket.write(`${[...lines, `sec-websocket-accept: ${answer}`].join('\r\n')}\r\n\r\n`)
}

function converse(socket: Duplex, head: Buffer, { open }: SocketRoute): void {
  const read = createFrameReader()
  const session = open((text) => {
    if (!socket.writableEnded && !socket.destroyed) socket.write(frameOf('text', Buffer.from(text)))
  })
  const take = (bytes: Buffer): void => {
    for (const { kind, payload } of read(bytes)) {
      if (kind === 'text') session.receive(payload.toString('utf8'))
      else if (kind === 'ping') socket.write(frameOf('pong', payload))
      else socket.end(frameOf('close', payload.subarray(0, 2)))
    }
  }
  const taking = (bytes: Buffer): void => {
    try {
      take(bytes)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const code = Buffer.alloc(2)
      code.writeUInt16BE(protocolError)
      socket.end(frameOf('close', code))
    }
  }
  socket.on('data', taking)
  // A client may end the connection without a close message. The HTTP server then keeps its own side open.
  socket.on('end', () => socket.end())
  // A client may disconnect at any time; this is not an error of the server.
  socket.on('error', () => socket.destroy())
  socket.on('close', session.close)
  if (head.length > 0) taking(head)
}
