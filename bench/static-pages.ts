/**
 * Serves the REST service of a simulated network with this many blocks: `node dist/bench/static-pages.js 5000`. It renders each answer once
 * and then serves the same bytes from memory. `GET /bench/rendered` lists the rendered pages.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startDevnet } from '../devnet/serve.ts'
import type { Question } from './subject.ts'

type Rendered = { readonly status: number; readonly type: string; readonly body: Buffer }

const devnet = await startDevnet({ blocks: Number(process.argv[2]), seed: 3 })
const rendered = new Map<string, { readonly question: Question; readonly answer: Rendered }>()

const server = createServer(async (incoming, response) => {
  const path = incoming.url ?? '/'
  if (path === '/bench/rendered') {
    response.end(JSON.stringify(pages()))
    return
  }
  const question: Question =
    incoming.method === 'POST' ? { method: 'POST', path, body: await text(incoming) } : { method: 'GET', path }
  const key = JSON.stringify(question)
  const answer = rendered.get(key)?.answer ?? (await render(question))
  rendered.set(key, { question, answer })
  response.writeHead(answer.status, { 'content-type': answer.type, 'content-length': answer.body.length })
  response.end(answer.body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))

async function render({ method, path, body }: Question): Promise<Rendered> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(devnet.url + path, { method, headers, body: body ?? null })
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: Buffer.from(await answer.arrayBuffer()),
  }
}

/** The requests to the service, without those that identified the node. */
function pages(): Question[] {
  return [...rendered.values()]
    .filter(({ question, answer }) => question.path.startsWith('/v1/') && answer.status === 200)
    .map(({ question }) => question)
}
