import type { FaultKind } from '../faults/kinds.ts'

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
