import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultChooser } from '../faults/choose.ts'
import type { FaultKind } from '../faults/kinds.ts'
import { type Answer, textAnswer } from './answer.ts'
import { compressed } from './compress.ts'
import type { RequestCounts } from './counts.ts'
import { bodyOf, garble } from './garble.ts'
import { interruption } from './interrupt.ts'
import type { DevnetRequest } from './request.ts'
import { createSocketServer, type SocketRoute } from './websocket/serve.ts'

type ServerParts = {
  readonly answer: (request: DevnetRequest) => Promise<Answer>
  readonly faults: FaultChooser
  readonly counts: RequestCounts
  readonly sockets: readonly SocketRoute[]
  /** Delay of a slow response in milliseconds. */
  readonly slowMs: number
  /** Whether responses are compressed for clients that accept it. */
  readonly compress: boolean
}

/** The HTTP server: it reads a request, applies its fault and sends the response. */
export function createDevnetServer(parts: ServerParts): Server {
  const sockets = createSocketServer(parts.sockets)
  const server = createServer({ keepAlive: true }, (incoming, response) => {
    serve(parts, incoming, response).catch((error: unknown) => {
      // If the client disconnects during its request, no response is needed.
      if (response.headersSent || incoming.destroyed) response.destroy()
      else send(response, textAnswer(500, `devnet: ${error instanceof Error ? error.message : String(error)}`))
    })
  })
  server.on('upgrade', sockets.upgrade)
  const { closeAllConnections } = server
  // The server does not close connections that were upgraded.
  server.closeAllConnections = () => {
    sockets.closeAll()
    closeAllConnections.call(server)
  }
  return server
}

async function serve(parts: ServerParts, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(incoming)
  const address = new URL(incoming.url ?? '/', 'http://localhost')
  const own = address.pathname.startsWith('/devnet/')
  const fault = own ? null : parts.faults.choose(address.pathname, address.searchParams, incoming.headers)
  address.searchParams.delete('devnet-fault')
  if (!own) parts.counts.add(address.pathname, fault)
  const request: DevnetRequest = {
    method: incoming.method ?? 'GET',
    path: address.pathname,
    query: address.searchParams,
    url: address.pathname + address.search,
    headers: incoming.headers,
    body,
    fault,
  }
  if (fault !== null) return serveFault(parts, request, fault, response)
  const answer = await parts.answer(request)
  if (!own) parts.counts.answered(answer.status)
  send(response, parts.compress ? compressed(answer, incoming.headers) : answer)
}

async function serveFault(
  parts: ServerParts,
  request: DevnetRequest,
  fault: FaultKind,
  response: ServerResponse,
): Promise<void> {
  if (fault === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  if (fault === 'slow') await sleep(parts.slowMs)
  const answer = interruption(fault, request.path) ?? garble(fault, await parts.answer(request))
  parts.counts.answered(answer.status)
  if (fault === 'reset-midway') await sendHalf(response, answer)
  else send(response, answer)
}

const emptyBody = Buffer.alloc(0)

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  // A request without either header has no body (RFC 9112, 6.3), so there is nothing to wait for.
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  if (length === undefined && encoding === undefined) return emptyBody
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function send(response: ServerResponse, answer: Answer): void {
  // Each text is converted to bytes only once, for the length and for sending.
  const pieces = answer.body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length })
  const last = pieces.pop()
  for (const piece of pieces) response.write(piece)
  response.end(last)
}

async function sendHalf(response: ServerResponse, answer: Answer): Promise<void> {
  const body = bodyOf(answer)
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length })
  await new Promise((resolve) => response.write(body.subarray(0, Math.floor(body.length / 2)), resolve))
  response.socket?.resetAndDestroy()
}
