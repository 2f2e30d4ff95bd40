import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** An answer or a fault: `reset` the connection, `hang`, `cut` the body short, `stall` in the middle of the body. */
export type Reply =
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }
  | { readonly fault: 'reset' }
  | { readonly fault: 'hang' }
  | { readonly fault: 'cut' | 'stall'; readonly body: string }

export type LocalServer = {
  readonly url: string
  readonly received: readonly Received[]
  /** The highest number of requests that were answered at the same time. */
  busiest(): number
  close(): Promise<void>
}

/** Serves on a free port of the loopback interface; calls `answer` for each request, with `count` from 0. */
export async function startServer(
  answer: (request: Received, count: number) => Reply | Promise<Reply>,
): Promise<LocalServer> {
  const received: Received[] = []
  let busy = 0
  let busiest = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { method = '', url = '', headers } = request
      received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() })
      busiest = Math.max(busiest, ++busy)
      const reply = await answer(received.at(-1)!, received.length - 1)
      busy--
      if (!('fault' in reply)) {
        response.writeHead(reply.status ?? 200, reply.headers)
        response.end(reply.body ?? '')
      } else if (reply.fault === 'reset') request.socket.resetAndDestroy()
      else if (reply.fault === 'cut' || reply.fault === 'stall') {
        response.writeHead(200, { 'content-length': String(reply.body.length + 10) })
        response.write(reply.body)
        if (reply.fault === 'cut') setTimeout(() => request.socket.destroy(), 5)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    busiest: () => busiest,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Waits that are short enough for tests. */
export const quick = { backoff: { baseMs: 2, maxMs: 10 }, timeoutMs: 2000 } as const
