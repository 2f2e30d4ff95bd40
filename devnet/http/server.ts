import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type FaultChooser, type FaultKind, isServicePath } from '../faults.ts'
import type { RequestCounts } from './control.ts'
import { type Answer, type DevnetRequest, jsonAnswer, textAnswer } from './router.ts'
import { createSocketServer, type SocketRoute } from './websocket.ts'

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

/** A node does not compress smaller responses (bytes). */
const leastBytes = 1400

/** The response with a compressed body, if it is large enough and the client accepts the encoding. */
function compressed(answer: Answer, { 'accept-encoding': accepted = '' }: IncomingHttpHeaders): Answer {
  if (!/\bgzip\b/.test(String(accepted))) return answer
  const body = Buffer.concat(answer.body.map((piece) => Buffer.from(piece)))
  if (body.length < leastBytes) return answer
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }
  return { ...answer, headers, body: [gzipSync(body)] }
}

/** Applies a content fault to the response. Returns the same response for other faults. */
function garble(kind: FaultKind, answer: Answer): Answer {
  if (kind === 'truncated') return { ...answer, body: [halfOf(answer)] }
  if (kind === 'wrong-checksum') return rewrite(answer, wrongChecksum)
  if (kind === 'wrong-id') return rewrite(answer, wrongId)
  return answer
}

/** The body of a response as one buffer. */
function bodyOf(answer: Answer): Buffer {
  return Buffer.concat(answer.body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

function halfOf(answer: Answer): Buffer {
  const body = bodyOf(answer)
  return body.subarray(0, Math.floor(body.length / 2))
}

function rewrite(answer: Answer, change: (text: string) => string): Answer {
  return { ...answer, body: [change(bodyOf(answer).toString('utf8'))] }
}

/** Changes the last hex digit of the last container. */
function wrongChecksum(text: string): string {
  return text.replace(
    /([0-9a-f])("(?:,"timestamp":"[^"]*")?,"encoding":"hex")(?![\s\S]*"encoding")/,
    (_, digit, rest) => {
      return `${digit === '0' ? '1' : '0'}${rest}`
    },
  )
}

const otherId = '2QouvFWUbjuySRxeX5xMbNCuAaKWfbk5FeEa2JmoF85RKLk2dD'

/** Replaces the id of the last container with a well-formed id that does not match the bytes. */
function wrongId(text: string): string {
  const at = text.lastIndexOf('{"id":"')
  if (at < 0) return text
  return text.slice(0, at) + text.slice(at).replace(/^\{"id":"[^"]*"/, `{"id":"${otherId}"`)
}

/** The response of a fault that occurs before the request is handled; null for other faults. */
function interruption(kind: FaultKind, path: string): Answer | null {
  switch (kind) {
    case 'rate-limit':
      return tooMany(path)
    case 'rate-limit-seconds':
      return tooMany(path, { 'retry-after': '1' })
    case 'rate-limit-date':
      return tooMany(path, { 'retry-after': new Date(Date.now() + 1000).toUTCString() })
    case 'rate-limit-day':
      return tooMany(path, { 'retry-after': '86400' })
    case 'rate-limit-decade':
      return tooMany(path, { 'ratelimit-remaining': '0', 'ratelimit-reset': String(10 * 365 * 86_400) })
    case 'server-error':
      return textAnswer(500, 'internal error')
    case 'bad-gateway':
      return textAnswer(502, '<html><body>502 Bad Gateway</body></html>', { 'content-type': 'text/html' })
    case 'unavailable':
      return textAnswer(503, '')
    case 'bootstrapping':
      return textAnswer(503, 'API call rejected because chain is not done bootstrapping')
    case 'index-off':
      return path.startsWith('/ext/index/') ? textAnswer(404, '404 page not found\n') : null
    default:
      return null
  }
}

/** HTTP 429: a proxy in front of a node answers with text, the REST service with its JSON error body. */
function tooMany(path: string, headers: Readonly<Record<string, string>> = {}): Answer {
  if (!isServicePath(path)) return textAnswer(429, 'too many requests', headers)
  const body = { message: 'Rate limit exceeded', statusCode: 429, error: 'Too Many Requests' }
  const answer = jsonAnswer(429, [JSON.stringify(body)])
  return { ...answer, headers: { ...answer.headers, ...headers } }
}
