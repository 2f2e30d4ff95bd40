import { createServer, type Server } from 'node:http'
import { ConfigError } from '../../../errors.ts'
import { parsePort } from '../../settings/numbers.ts'

/** Where metrics are served. */
export type MetricsAddress = { readonly host: string; readonly port: number }

/** Parses `PORT`, which is on loopback, or `HOST:PORT`; the host may be an IPv6 address in brackets. Throws ConfigError. */
export function parseMetricsAddress(name: string, text: string): MetricsAddress {
  const [, bracketed, plain, port = text] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([^:]*)$/.exec(text) ?? []
  return { host: bracketed ?? plain ?? '127.0.0.1', port: parsePort(name, port) }
}

/**
 * Serves OpenMetrics text at `/metrics`, and `ok` at `/healthz` while the process answers. The server does not keep the process alive.
 *
 * @throws ConfigError `config.metrics-port` when the address cannot be used.
 */
export async function serveMetrics(text: () => string, { host, port }: MetricsAddress): Promise<Server> {
  const pages: Readonly<Record<string, { readonly type: string; readonly text: () => string }>> = {
    '/metrics': { type: 'application/openmetrics-text; version=1.0.0; charset=utf-8', text },
    '/healthz': { type: 'text/plain', text: () => 'ok\n' },
  }
  const server = createServer(({ url = '', method }, response) => {
    const page = method === 'GET' || method === 'HEAD' ? pages[url.split('?')[0] ?? ''] : undefined
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/plain' })
    response.end(page === undefined ? 'Not found: metrics are at /metrics.\n' : page.text())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE'
    throw new ConfigError(`Metrics cannot be served on ${host}, port ${port}${taken ? ': the port is in use' : ''}.`, {
      code: 'config.metrics-port',
      details: { reason: error.code ?? error.message },
      hint: taken
        ? 'Give --metrics-port another port.'
        : 'Give --metrics-port a port, or HOST:PORT with an address of this machine.',
    })
  })
  server.unref()
  return server
}
