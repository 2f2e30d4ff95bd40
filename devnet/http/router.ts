import type { FaultKind } from '../faults.ts'

/** The response of a handler. The body is a list of pieces, so that a large slice is sent without a copy. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: readonly (string | Buffer)[]
}

const plainText = { 'content-type': 'text/plain; charset=utf-8', vary: 'Origin' }
const json = { 'content-type': 'application/json; charset=utf-8', vary: 'Origin' }

export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...plainText, ...headers }, body: [text] }
}

/** A JSON response of the node's JSON-RPC server; `pieces` are JSON text. */
export function jsonAnswer(status: number, pieces: readonly (string | Buffer)[]): Answer {
  return { status, headers: json, body: pieces }
}

const notFound = textAnswer(404, '404 page not found\n')

/** A request as the handlers receive it. Header names are lower case. */
export type DevnetRequest = {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path with the query, as the client sent it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** The fault of this request; null for none. */
  readonly fault: FaultKind | null
}

export function contentType(request: DevnetRequest): string {
  const value = request.headers['content-type']
  return typeof value === 'string' ? value : ''
}

/** Answers a request, or returns null so that the router tries the next route. */
export type Handler = (request: DevnetRequest) => Promise<Answer | null> | Answer | null

/** A handler for one path, or for any path when `path` is null. */
export type Route = { readonly path: string | null; readonly handle: Handler }

/** Tries the routes in order. If none answers, the response is the 404 of the node. */
export function createRouter(routes: readonly Route[]): (request: DevnetRequest) => Promise<Answer> {
  return async (request) => {
    for (const route of routes) {
      if (route.path !== null && route.path !== request.path) continue
      const answer = await route.handle(request)
      if (answer !== null) return answer
    }
    return notFound
  }
}
