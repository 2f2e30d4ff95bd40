import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Way = {
  /** The given URL, but through the proxy. */
  readonly url: string
  /** Breaks the next connection that sends this statement: before the server gets it, or after the server has executed it. */
  readonly breakAt: (text: string, when: 'before' | 'after') => void
  /**
   * Silences the next connection that sends this statement: it stays open, but the proxy forwards nothing more, from before or after the
   * statement.
   */
  readonly silenceAt: (text: string, when: 'before' | 'after') => void
  /** Silences all connections until `open`: they stay open and new ones are accepted, but the proxy forwards nothing. */
  readonly silence: () => void
  /** Resolves when a client sends this text the next time. `act` runs before the proxy forwards the text. */
  readonly whenSaid: (text: string, act: () => void) => Promise<void>
  /** Breaks all connections and refuses new ones until `open`. */
  readonly cut: () => void
  readonly open: () => void
  readonly close: () => Promise<void>
}

/** Starts a proxy between clients and a server. */
export async function startProxy(target: string): Promise<Way> {
  const { hostname, port } = new URL(target)
  let breaking: { text: string; when: 'before' | 'after' } | null = null
  let awaited: { text: string; act: () => void } | null = null
  let silencing: { text: string; when: 'before' | 'after' } | null = null
  let isOpen = true
  let isSilent = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    const destroy = () => {
      client.destroy()
      upstream.destroy()
    }
    /** The connection stays open and the proxy forwards nothing, not even its end. */
    let isMute = false
    /** Start of the server's message that the statement was executed. */
    let ending: string | null = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        if (!isMute && !isSilent) destroy()
      })
    }
    client.on('data', (chunk) => {
      if (silencing !== null && chunk.includes(silencing.text)) {
        isMute = true
        if (silencing.when === 'after') upstream.write(chunk)
        silencing = null
      }
      if (isMute || isSilent) return
      if (breaking !== null && chunk.includes(breaking.text)) {
        const { text, when } = breaking
        breaking = null
        if (when === 'before') return destroy()
        ending = `${text}\0`
      }
      if (awaited !== null && chunk.includes(awaited.text)) {
        const { act } = awaited
        awaited = null
        act()
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isMute || isSilent) return
      if (ending !== null && chunk.includes(ending)) destroy()
      else client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    breakAt: (text, when) => {
      breaking = { text, when }
    },
    silenceAt: (text, when) => {
      silencing = { text, when }
    },
    silence: () => {
      isSilent = true
    },
    whenSaid: (text, act) =>
      new Promise((resolve) => {
        awaited = {
          text,
          act: () => {
            act()
            resolve()
          },
        }
      }),
    cut,
    open: () => {
      isOpen = true
      isSilent = false
    },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
