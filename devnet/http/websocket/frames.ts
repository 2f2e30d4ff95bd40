/** A WebSocket message (RFC 6455): text, or a control message of the connection. */
type Message = { readonly kind: 'text' | 'ping' | 'close'; readonly payload: Buffer }

/** Takes bytes as they arrive and returns the complete messages. Throws `RangeError` for bytes that a client must not send. */
type FrameReader = (bytes: Buffer) => Message[]

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const mostBytes = 1 << 25
const shortest = 125

type Frame = { readonly opcode: number; readonly isLast: boolean; readonly payload: Buffer; readonly end: number }

export function createFrameReader(): FrameReader {
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
