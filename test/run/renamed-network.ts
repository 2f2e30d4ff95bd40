import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

/** A door to a node that says another network id than the node does: the same blocks as those of another network. */
export async function renamedNetwork(node: { readonly url: string }, networkId: number) {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    response.setHeader('content-type', 'application/json')
    if (body.includes('"info.getNetworkID"')) {
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: { networkID: String(networkId) } }),
      )
      return
    }
    const method = incoming.method === 'POST' ? 'POST' : 'GET'
    const headers = { 'content-type': 'application/json' }
    const answer = await request(node.url + incoming.url, { method, headers, ...(method === 'POST' ? { body } : {}) })
    response.statusCode = answer.statusCode
    response.end(Buffer.from(await answer.body.arrayBuffer()))
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
