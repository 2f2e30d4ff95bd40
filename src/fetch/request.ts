import type { Answer } from './attempt.ts'
import type { StatusAdvice } from './status-failures.ts'

export type TransportRequest = {
  readonly method: 'GET' | 'POST'
  /** Relative to the base URL; begins with `/`, may have a query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  /** What errors call the request, such as the name of an RPC method. */
  readonly label?: string
  /** Overrides the number of tries of the transport. */
  readonly tries?: number
  /** Overrides the size limit of the answer, in bytes. */
  readonly maxBytes?: number
  /** Its cost in compute units. Default 0. */
  readonly cost?: number
  /** Hints for errors of this request; they replace those of the transport. */
  readonly advice?: StatusAdvice
  /** Statuses that count as success. Default: 2xx. */
  readonly accept?: (status: number) => boolean
}

export type ParsedRequest<T> = TransportRequest & {
  /**
   * Turns an answer into the result. If it throws, the request is retried, except for a `ChainlakeError` that is not retryable. Any other
   * error means that the answer cannot be read, for instance because it was truncated. The memory of the answer's body is reused as soon
   * as this function returns.
   */
  readonly parse: (answer: Answer) => T
}
