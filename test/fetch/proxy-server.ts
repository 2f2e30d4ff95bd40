import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export type ProxyServer = {
  /** Its port on the loopback interface. */
  readonly port: number
  /** Such as `POST http://node.internal:9650/ext/info` or `CONNECT node.internal:443`. */
  readonly requests: readonly string[]
  close(): void
}

/**
 * A proxy of HTTP and of tunnels on the loopback interface. It alone knows the hosts that end with `.internal`: all of them are this machine.
 * `login` is the user and password that it demands.
 */
export async function startProxy({ login }: { readonly login?: string } = {}): Promise<ProxyServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const known = (host: string) => (host.endsWith('.internal') ? '127.0.0.1' : host)
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const { 'proxy-authorization': given, ...headers } = request.headers
    if (given !== expected) {
      response.writeHead(407).end()
      return
    }
    const { hostname, port, pathname, search } = new URL(request.url ?? '')
    const forwarded = send({ host: known(hostname), port, method: request.method, path: pathname + search, headers })
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  server.on('connect', (request, socket: Socket) => {
    requests.push(`CONNECT ${request.url}`)
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const { hostname, port } = new URL(`http://${request.url}`)
    const tunnel = connect(Number(port || 80), known(hostname), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(tunnel).pipe(socket)
    })
    sockets.add(tunnel)
    tunnel.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
