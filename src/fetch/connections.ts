import type { Agent, IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'

/** What is asked of a host. */
export type Asking = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly signal: AbortSignal
}

/** Kept connections to one host. */
export type Connections = {
  /**
   * Resolves when the head of the answer has come; the body is still to be read. Rejects with the error of the socket, or a
   * `StalledError`, which a body that stops coming ends with, too.
   */
  ask(asking: Asking): Promise<IncomingMessage>
  /** Ends connections; what is under way fails. */
  close(): void
}

/** Nothing came, or could be sent, for as long as may be. */
export class StalledError extends Error {
  readonly code: 'no-connection' | 'no-head' | 'no-more'

  constructor(code: StalledError['code']) {
    super(code)
    this.code = code
  }
}

/** Connections without a request are ended before most servers do it, */
const idleMs = 10_000
/** and so much before a server says that it will, so that no request meets the end of one. */
const marginMs = 1_000

type Client = { readonly agent: Agent; readonly send: typeof request }

/**
 * Opens at most so many connections, when they are needed. `timeoutMs`: longest wait for a connection, for the head, and between two
 * pieces of a body.
 *
 * Node's own client: that of undici takes three times as long as Node itself to start, most of it for a parser in WebAssembly.
 */
export function createConnections(
  origin: string,
  { most, timeoutMs }: { readonly most: number; readonly timeoutMs: number },
): Connections {
  const { protocol, hostname, port } = new URL(origin)
  // As sockets take addresses of IPv6.
  const host = hostname.replace(/^\[|\]$/g, '')
  let opened: Promise<Client> | null = null

  async function open(): Promise<Client> {
    const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http')
    const agent = new Agent({ keepAlive: true, maxSockets: most, timeout: idleMs })
    const keep = agent.keepSocketAlive
    agent.keepSocketAlive = (stream) => {
      const kept = keep.call(agent, stream)
      const socket = stream as Socket
      socket.setTimeout(Math.max(1, (socket.timeout ?? idleMs) - marginMs))
      return kept
    }
    return { agent, send: request }
  }

  return {
    async ask({ method, path, headers, body, signal }) {
      opened ??= open()
      const { agent, send } = await opened
      return await new Promise((resolve, reject) => {
        const asked = send({ protocol, host, port, agent, method, path, headers, signal, timeout: timeoutMs })
        let answer: IncomingMessage | null = null
        asked.once('response', (head) => {
          answer = head
          resolve(head)
        })
        // What an idle one was given is not what a request may take.
        asked.once('socket', (socket) => socket.setTimeout(timeoutMs))
        // When the head has come, the body ends with the error.
        asked.on('error', reject)
        asked.on('timeout', () => {
          if (answer !== null) answer.destroy(new StalledError('no-more'))
          else asked.destroy(new StalledError(asked.socket?.connecting === true ? 'no-connection' : 'no-head'))
        })
        asked.end(body ?? undefined)
      })
    },
    close() {
      opened?.then(({ agent }) => agent.destroy())
    },
  }
}
