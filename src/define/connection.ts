/** The requests that adapters send to one endpoint. `fetch/` implements it. */
export type Connection = {
  /** The base URL, redacted. */
  readonly url: string
  /** How often a request is sent at most. A source sends it as often to a node that lags behind. */
  readonly tries?: number
  /** Replaces secrets, which an answer may repeat, in a text of the answer that an error shows. Default: there are none. */
  readonly redact?: (text: string) => string
  /**
   * Retries until there is a usable answer. Throws a `TransportError` when the tries are used up or a retry cannot help, and the
   * signal's reason as soon as it is aborted.
   */
  request<T>(request: ParsedRequest<T>): Promise<T>
  request(request: ConnectionRequest): Promise<Answer>
}

/** A request to an endpoint. It is repeated as the settings of the connection say. */
export type ConnectionRequest = {
  readonly method: 'GET' | 'POST'
  /** Relative to the base URL; begins with `/`, may have a query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A function is called for each try. */
  readonly body?: string | Uint8Array | (() => string) | undefined
  readonly signal?: AbortSignal | undefined
  /** What errors call the request, such as the name of an RPC method. */
  readonly label?: string
  /** Lowers the number of tries of the connection. */
  readonly tries?: number | undefined
  /** Overrides the size limit of the answer, in bytes. */
  readonly maxBytes?: number | undefined
  /** Its cost in compute units. Default 0. */
  readonly cost?: number
  /** Hints for errors of this request; they replace those of the connection. */
  readonly advice?: StatusAdvice | undefined
  /** Statuses that count as success. Default: 2xx. */
  readonly accept?: ((status: number) => boolean) | undefined
}

/** A request with the function that reads its answer. */
export type ParsedRequest<T> = ConnectionRequest & {
  /**
   * Turns an answer into the result. If it throws, the request is retried, except for a `ChainlakeError` that is not transient. Any other
   * error means that the answer cannot be read, for instance because it was truncated. The memory of the answer's body is reused as soon
   * as this function returns.
   */
  readonly parse: (answer: Answer) => T
  /**
   * Reads an answer with a status that counts as no success, if its body says more than the status: returns the result, or throws like
   * `parse`. Null: only the status says what happened.
   */
  readonly parseRefusal?: (answer: Answer) => { readonly result: T } | null
}

/** An answer of an endpoint, with its body as bytes. */
export type Answer = {
  readonly status: number
  /** Names in lower case; the values of a repeated header are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed. */
  readonly body: Buffer<ArrayBuffer>
}

/** Hints by status, specific to a service. */
export type StatusAdvice = Readonly<Record<number, string>>

/** The header that carries an API key in the specification (000, part 5). Profiles of services name others. */
export const specifiedKeyHeader = 'x-service-api-key'

/** Statuses that announce an answer for later (202, Accepted), or a part of one (206, Partial Content). */
const unfinished: readonly number[] = [202, 206]

/** Whether a status counts as success, if the request does not say which do. */
export function succeeded(status: number): boolean {
  return status >= 200 && status < 300 && !unfinished.includes(status)
}

/** How a source asks for one answer. `parse` reads the JSON of the answer. */
export type Asking<T> = Pick<ConnectionRequest, 'signal'> & { readonly parse: (answer: unknown) => T }
