import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What happens to the connection of a statement. `before`: it breaks before the server receives the statement. `after`: it breaks when the
 * server has executed the statement, before its answer arrives. `gone`: it breaks before, and the server accepts no connection until
 * `quiet`.
 */
export type Cut = 'before' | 'after' | 'gone'

export type CuttingProxy = {
  /** The URL of the server through the proxy. */
  readonly url: string
  /** Forwards everything, and starts counting. */
  readonly quiet: () => void
  /** Starts counting, and cuts the connection of the statement with this number, from 1. */
  readonly cutAt: (statement: number, cut: Cut) => void
  /** The statements since the counting started. */
  readonly statements: () => readonly string[]
  /** The statement that was cut; null if none was cut yet. */
  readonly wasCut: () => string | null
  readonly close: () => Promise<void>
}

/** Forwards connections to a PostgreSQL server, counts the statements of all of them, and cuts the connection at one statement. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let planned: { readonly statement: number; readonly cut: Cut } | null = null
  let statements: string[] = []
  let cutText: string | null = null
  let isGone = false

  /** Counts a statement. Returns how to cut it, or null. */
  const count = (text: string): Cut | null => {
    statements.push(text)
    if (planned?.statement !== statements.length) return null
    cutText = text
    isGone = planned.cut === 'gone'
    return planned.cut
  }
  const server = createServer((client) => {
    if (isGone) return void client.destroy()
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      // A statement is several small messages: each would wait 40 ms for the acknowledgement of the one before.
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    passOn(client, upstream, count)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  const begin = (next: typeof planned): void => {
    planned = next
    statements = []
    cutText = null
    isGone = false
  }
  return {
    url: url.href,
    quiet: () => begin(null),
    cutAt: (statement, cut) => begin({ statement, cut }),
    statements: () => statements,
    wasCut: () => cutText,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Forwards the messages of both sides. The server ends its answer to each statement, and to the login before them, with one `Z`. */
function passOn(client: Socket, upstream: Socket, count: (text: string) => Cut | null): void {
  const prepared = new Map<string, string>()
  /** Messages of a statement, which ends with `Q` or `S`. */
  let pending: Buffer[] = []
  let text = ''
  /** Statements that the server has received. The login counts as one. */
  let sent = 1
  let answered = 0
  /** The connection breaks when this number of statements is answered. The client does not receive the answers after `told`. */
  let end: { readonly answered: number; readonly told: number } | null = null

  const endWhenAnswered = (): void => {
    if (end === null || answered < end.answered) return
    client.destroy()
    upstream.destroy()
  }
  const statement = (): void => {
    const cut = count(text)
    if (cut !== null) end = { answered: cut === 'after' ? sent + 1 : sent, told: sent }
    if (cut === null || cut === 'after') {
      for (const message of pending) upstream.write(message)
      sent++
    }
    pending = []
    text = ''
    endWhenAnswered()
  }
  const readClient = messages(false)
  client.on('data', (chunk) => {
    for (const { type, body, whole } of readClient(chunk)) {
      if (end !== null) return
      if (type === null || type === 'p' || type === 'X') {
        upstream.write(whole)
        continue
      }
      pending.push(whole)
      if (type === 'P') prepared.set(textAt(body, 0), textAt(body, textAt(body, 0).length + 1))
      if (type === 'B') text = prepared.get(textAt(body, textAt(body, 0).length + 1)) ?? ''
      if (type === 'Q') text = textAt(body, 0)
      if (type === 'Q' || type === 'S') statement()
    }
  })
  const readServer = messages(true)
  upstream.on('data', (chunk) => {
    for (const { type, whole } of readServer(chunk)) {
      if (end === null || answered < end.told) client.write(whole)
      if (type === 'Z') answered++
    }
    endWhenAnswered()
  })
}

type Message = { readonly type: string | null; readonly body: Buffer; readonly whole: Buffer }

/** Splits the received bytes into messages. The first message of a client has no type. */
function messages(hasType: boolean): (chunk: Buffer) => Message[] {
  let rest = Buffer.alloc(0)
  let typed = hasType
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const found: Message[] = []
    for (;;) {
      const head = typed ? 1 : 0
      if (rest.length < head + 4) return found
      const length = head + rest.readInt32BE(head)
      if (rest.length < length) return found
      const type = typed ? String.fromCharCode(rest[0]!) : null
      found.push({ type, body: rest.subarray(head + 4, length), whole: rest.subarray(0, length) })
      rest = rest.subarray(length)
      typed = true
    }
  }
}

/** A text that ends with a zero byte. */
function textAt(body: Buffer, from: number): string {
  const end = body.indexOf(0, from)
  return body.toString('utf8', from, end < 0 ? undefined : end)
}
