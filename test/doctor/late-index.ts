import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A node whose index was switched on late: what is at `late` in the index of `url` is its first container. */
export async function lateIndex(url: string, late: number): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const isIndex = request.url?.startsWith('/ext/index/') === true
    const sent = Buffer.concat(pieces).toString()
    const shifted = sent.replace(/"(startIndex|index)":(\d+)/g, (_, name, index) => `"${name}":${Number(index) + late}`)
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' ? { body: isIndex ? shifted : sent } : {}),
    })
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(isIndex ? text.replace(/"index":"(\d+)"/g, (_, index) => `"index":"${Number(index) - late}"`) : text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
