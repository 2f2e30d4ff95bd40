import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

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

/** A WebSocket message (RFC 6455): text, or a control message of the connection. */
type Message = { readonly kind: 'text' | 'ping' | 'close'; readonly payload: Buffer }

/** Takes bytes as they arrive and returns the complete messages. Throws `RangeError` for bytes that a client must not send. */
type FrameReader = (bytes: Buffer) => Message[]

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const mostBytes = 1 << 25
const shortest = 125

type Frame = { readonly opcode: number; readonly isLast: boolean; readonly payload: Buffer; readonly end: number }

function createFrameReader(): FrameReader {
  let waiting: Buffer = Buffer.alloc(0)
  /** Payloads of a text message that is not complete yet. */
  let parts: Buffer[] = []
  const take = ({ opcode, isLast, payload }: Frame): Message | null => {
    if (opcode === opcodes.ping) return { kind: 'ping', payload }
    if (opcode === opcodes.close) return { kind: 'close', payload }
    if (opcode === opcodes.pong) return null
    if (opcode === opcodes.continuation ? parts.length === 0 : parts.length > 0)
      throw new RangeError('a frame out of its order')
    parts.push(payload)
    if (parts.reduce((sum, part) => sum + part.length, 0) > mostBytes) throw new RangeError('a message is too long')
    if (!isLast) return null
    const whole = Buffer.concat(parts)
    parts = []
    return { kind: 'text', payload: whole }
  }
  return (bytes) => {
    waiting = Buffer.concat([waiting, bytes])
    const messages: Message[] = []
    for (let frame = readFrame(waiting); frame !== null; frame = readFrame(waiting)) {
      waiting = waiting.subarray(frame.end)
      const message = take(frame)
      if (message !== null) messages.push(message)
    }
    return messages
  }
}

/** Reads the first frame; null if it is not complete. */
function readFrame(bytes: Buffer): Frame | null {
  if (bytes.length < 2) return null
  const [first, second] = [bytes[0]!, bytes[1]!]
  if ((second & 0x80) === 0) throw new RangeError('a client must mask its frames')
  const short = second & 0x7f
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
  const maskAt = 2 + lengthBytes
  const start = maskAt + 4
  if (bytes.length < start) return null
  const length =
    lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : lengthBytes === 2 ? bytes.readUInt16BE(2) : short
  if (length > mostBytes) throw new RangeError('a frame is too long')
  const end = start + length
  if (bytes.length < end) return null
  const payload = Buffer.from(bytes.subarray(start, end))
  for (let at = 0; at < length; at += 1) payload[at]! ^= bytes[maskAt + (at % 4)]!
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload, end }
}

/** Encodes a message as one frame; a server does not mask frames. */
export function frameOf(kind: 'text' | 'pong' | 'close', payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length > 0xffff ? 10 : length > shortest ? 4 : 2)
  head[0] = 0x80 | opcodes[kind]
  if (length > 0xffff) {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  } else if (length > shortest) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else head[1] = length
  return Buffer.concat([head, payload])
}
