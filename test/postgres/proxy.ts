import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Way = {
  /** The given URL by way of the proxy. */
  readonly url: string
  /** Breaks the next connection on which this statement comes: before it is passed on, or once it was done. */
  readonly breakAt: (text: string, when: 'before' | 'after') => void
  /** Resolves when a client says this next, with what `act` does before it is passed on. */
  readonly whenSaid: (text: string, act: () => void) => Promise<void>
  /** Breaks all connections, and refuses new ones until `open`. */
  readonly cut: () => void
  readonly open: () => void
  readonly close: () => Promise<void>
}

/** Stands between a client and a server. */
export async function startProxy(target: string): Promise<Way> {
  const { hostname, port } = new URL(target)
  let breaking: { text: string; when: 'before' | 'after' } | null = null
  let awaited: { text: string; act: () => void } | null = null
  let isOpen = true
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
    /** What says that it was done, which is what it begins with. */
    let ending: string | null = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', destroy)
      socket.on('close', () => {
        sockets.delete(socket)
        destroy()
      })
    }
    client.on('data', (chunk) => {
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
    upstream.on('data', (chunk) => (ending !== null && chunk.includes(ending) ? destroy() : client.write(chunk)))
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
    },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
