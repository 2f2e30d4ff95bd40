import { request } from 'undici'
import { startServer } from '../fetch/local-server.ts'

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
  return startServer(async ({ method, path, body }) => {
    const call = body === '' ? null : (JSON.parse(body) as Call & { id: number })
    const own = call === null ? interceptGet(path) : intercept({ ...call, path })
    const headers = { 'content-type': 'application/json' }
    if (own !== null && 'result' in own)
      return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: own.result }) }
    if (own !== null) return { status: own.status, headers: { ...headers, ...own.headers } }
    const answer = await request(node.url + path, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body === '' ? null : body,
    })
    return { status: answer.statusCode, headers, body: new Uint8Array(await answer.body.arrayBuffer()) }
  })
}

export type Door = Awaited<ReturnType<typeof openDoor>>
