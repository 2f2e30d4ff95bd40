import { buildConnector, Client, WebSocket } from 'undici'
import { namesProxy } from '../lib/proxy-variables.ts'
import { bytesText } from '../lib/text.ts'
import { parseBaseUrl, userAgent } from './failures.ts'

type WebSocketOptions = {
  /** `ws://` or `wss://`, with an optional path, query and credentials. Throws `ConfigError` if it is malformed. */
  readonly url: string
  /** Longest wait for the connection and for the answer to its upgrade, in milliseconds. */
  readonly timeoutMs: number
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** Called once when the connection has ended or could not be opened, with the reason; not after `close`. */
  readonly onEnd: (reason: string) => void
}

/** A longer message ends the connection, and so do more bytes within a second. A block header has about 2 kB. */
const mostBytes = 1 << 20

/** Opens a WebSocket, over TLS for `wss://`. Its host gets the credentials of the URL as a header, as with HTTP. */
export function openWebSocket(options: WebSocketOptions) {
  const { url, timeoutMs } = options
  const base = parseBaseUrl(url.replace(/^ws/i, 'http'))
  const connector = namesProxy()
    ? import('../lib/proxy.ts').then(({ connectorTo }) => connectorTo(base.origin, timeoutMs))
    : Promise.resolve(buildConnector({ timeout: timeoutMs }))
  let transport: { readonly bytesRead: number; readonly destroy: () => unknown } | null = null
  let hasEnded = false
  let bytesBefore = 0
  // A server that sends without end, such as pings, would keep the process busy.
  const everySecond = setInterval(() => {
    const { bytesRead } = transport ?? { bytesRead: 0 }
    if (bytesRead - bytesBefore > mostBytes) fail(`it sent more than ${bytesText(mostBytes)} within a second`)
    bytesBefore = bytesRead
  }, 1_000)
  everySecond.unref()
  const client = new Client(base.origin, {
    // The client gives a connection away when it is upgraded, so that only its socket can end it.
    connect: (target, done) => {
      const made: typeof done = (...[error, socket]) => {
        if (error !== null) return done(error, null)
        transport = socket
        if (hasEnded) socket.destroy()
        done(null, socket)
      }
      connector.then(
        (connect) => connect(target, made),
        (error: Error) => done(error, null),
      )
    },
    allowH2: false,
    headersTimeout: timeoutMs,
    webSocket: { maxPayloadSize: mostBytes, maxFragments: 1000 },
  })
  const end = (): void => {
    hasEnded = true
    clearInterval(everySecond)
    transport?.destroy()
    client.destroy().catch(() => undefined)
  }
  const fail = (reason: string): void => {
    if (hasEnded) return
    end()
    options.onEnd(reason)
  }
  const target = Object.assign(new URL(url), { username: '', password: '', hash: '' })
  const socket = new WebSocket(target, {
    dispatcher: client,
    headers: {
      'user-agent': userAgent(),
      ...(base.authorization === null ? {} : { authorization: base.authorization }),
    },
  })
  let isOpen = false
  socket.addEventListener('open', () => {
    isOpen = true
    if (!hasEnded) options.onOpen()
  })
  socket.addEventListener('message', ({ data }) => {
    if (hasEnded) return
    if (typeof data === 'string') options.onText(data)
    else fail('it sent a binary message')
  })
  // What went wrong may contain the URL, so only the code of the close event is reported.
  socket.addEventListener('error', () => undefined)
  socket.addEventListener('close', ({ code }) =>
    fail(isOpen ? `the connection closed with code ${code}` : 'the server refused it or did not answer'),
  )
  return {
    send: (text: string): void => {
      if (!hasEnded) socket.send(text)
    },
    /** Ends the connection at once, without waiting for the server. */
    close: end,
  }
}
