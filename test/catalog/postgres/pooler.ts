import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

export type Pooler = { readonly url: string; readonly close: () => void }

type Turn = { readonly socket: Socket; readonly bytes: Buffer; readonly ends: number }

/**
 * A connection pooler in transaction mode, as PgBouncer is one: the transactions of all clients share one session of the server. It ignores
 * the options of a connection, and logs everybody in.
 */
export async function startPooler(url: string): Promise<Pooler> {
  const session = new pg.Client({ connectionString: url })
  session.on('error', () => undefined)
  await session.connect()
  const { stream } = (session as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  const waiting: Turn[] = []
  let owner: { readonly socket: Socket; left: number } | null = null
  let fromServer = Buffer.alloc(0)

  const next = (): void => {
    const at = waiting.findIndex(({ socket }) => owner === null || owner.socket === socket)
    const [turn] = at === -1 ? [] : waiting.splice(at, 1)
    if (turn === undefined) return
    owner ??= { socket: turn.socket, left: 0 }
    owner.left += turn.ends
    if (!stream.destroyed) stream.write(turn.bytes)
    next()
  }
  stream.on('data', (bytes: Buffer) => {
    fromServer = Buffer.concat([fromServer, bytes])
    for (let message = takeMessage(); message !== null; message = takeMessage()) {
      const { socket } = owner ?? {}
      socket?.write(message)
      if (owner === null || message[0] !== 'Z'.charCodeAt(0)) continue
      owner.left--
      const isIdle = message[5] === 'I'.charCodeAt(0)
      if (isIdle && owner.left === 0) owner = null
    }
    next()
  })
  const takeMessage = (): Buffer | null => {
    if (fromServer.length < 5 || fromServer.length < 1 + fromServer.readUInt32BE(1)) return null
    const length = 1 + fromServer.readUInt32BE(1)
    const message = fromServer.subarray(0, length)
    fromServer = fromServer.subarray(length)
    return message
  }

  let clients = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const pid = 1_000_000_000 + clients++
    let isStarted = false
    let open = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      open = Buffer.concat([open, bytes])
      if (!isStarted) {
        if (open.length < 4 || open.length < open.readUInt32BE(0)) return
        open = open.subarray(open.readUInt32BE(0))
        isStarted = true
        socket.write(Buffer.concat([message('R', 0), message('K', pid, 1), Buffer.from('Z\0\0\0\x05I')]))
      }
      let end = 0
      let ends = 0
      while (open.length - end >= 5 && open.length - end >= 1 + open.readUInt32BE(end + 1)) {
        const type = String.fromCharCode(open[end] ?? 0)
        if (type === 'X') {
          socket.end()
          break
        }
        if (type === 'Q' || type === 'S') ends++
        end += 1 + open.readUInt32BE(end + 1)
      }
      if (end > 0) waiting.push({ socket, bytes: open.subarray(0, end), ends })
      open = open.subarray(end)
      next()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pooled = new URL(url)
  pooled.port = String((server.address() as AddressInfo).port)
  return {
    url: pooled.href,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      stream.destroy()
    },
  }
}

/** A message of the server with numbers of 32 bits. */
function message(type: string, ...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(5 + 4 * numbers.length)
  bytes.write(type)
  bytes.writeUInt32BE(4 + 4 * numbers.length, 1)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 5 + 4 * at)
  return bytes
}
