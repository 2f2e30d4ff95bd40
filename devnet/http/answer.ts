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

export const notFound = textAnswer(404, '404 page not found\n')
