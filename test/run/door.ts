import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

/** A JSON-RPC call on its way to a node. */
export type Call = { readonly path: string; readonly method: string; readonly params: Record<string, unknown> }

/** The door's own answer: a result, or an HTTP status. Null forwards the call. */
export type Interception =
  | { readonly result: unknown }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | null

/** A door in front of a node. It answers some calls itself, regardless of their order and number. */
export async function openDoor(
  node: { readonly url: string },
  intercept: (call: Call) => Interception,
  interceptGet: (path: string) => Interception = () => null,
) {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const path = incoming.url ?? '/'
    const call = body === '' ? null : (JSON.parse(body) as Call & { id: number })
    const own = call === null ? interceptGet(path) : intercept({ ...call, path })
    response.setHeader('content-type', 'application/json')
    if (own !== null && 'result' in own) {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: own.result }))
    } else if (own !== null) {
      response.writeHead(own.status, own.headers)
      response.end()
    } else {
      const answer = await request(node.url + path, {
        method: incoming.method === 'POST' ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json' },
        body: body === '' ? null : body,
      })
      response.statusCode = answer.statusCode
      response.end(Buffer.from(await answer.body.arrayBuffer()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Door = Awaited<ReturnType<typeof openDoor>>
