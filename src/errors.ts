import { ExplainedError as ChainlakeError, type ErrorOptions } from '../codec/errors.ts'

/**
 * The errors of chainlake. The hierarchy follows what a caller does next. `retryable` says whether the same call may
 * succeed later. `exitCode` is the exit code of the command.
 */

/** `ChainlakeError`: every error that chainlake throws on purpose, those of the codec and the classes below. */
export {
  DecodeError,
  type ErrorFacts,
  type ErrorOptions,
  ExplainedError as ChainlakeError,
} from '../codec/errors.ts'

/** A table or pipeline is declared wrongly: a mistake in the program, not in its input. Exit code 2. */
export class DefinitionError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, 'definition', options)
  }
}

/** A flag, a configuration file or a query is wrong. Exit code 2. */
export class ConfigError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, 'config', options)
  }
}

/** A source failed to answer. Only sources throw it; the catalog and the store of the data files throw other errors. Exit code 3. */
export class TransportError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 3, 'transport', { retryable: true, ...options })
  }
}

/** The source did not answer in time. */
export class TimeoutError extends TransportError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'transport.timeout', ...options })
  }
}

/** The response has a status other than 2xx. Retryable for 408, 425 and 5xx. */
export class HttpError extends TransportError {
  readonly status: number
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, {
      code: 'transport.http',
      retryable: status >= 500 || status === 408 || status === 425,
      ...options,
    })
    this.status = status
  }
}

/**
 * The source throttles requests: HTTP 429, or an error of JSON-RPC that says so. `retryAfterMs` is the delay that it demanded, in
 * milliseconds, if it named one.
 */
export class RateLimitError extends TransportError {
  readonly retryAfterMs: number | undefined
  /** The source answered some calls of a batch, so the next try requests fewer. */
  readonly isPartial: boolean
  constructor(
    message: string,
    retryAfterMs: number | undefined,
    { isPartial = false, ...options }: ErrorOptions & { isPartial?: boolean } = {},
  ) {
    super(message, { code: 'transport.rate-limit', ...options })
    this.retryAfterMs = retryAfterMs
    this.isPartial = isPartial
  }
}

/** A JSON-RPC error object: its code and, in `answer`, its message. Not retryable by default. */
export class RpcError extends TransportError {
  readonly rpcCode: number
  readonly answer: string
  /** The `data` of the error object, such as what a reverted call returned; null without it. */
  readonly data: unknown
  /** The HTTP status of the answer. */
  readonly status: number
  constructor(
    message: string,
    { code, answer, data = null, status = 200 }: { code: number; answer: string; data?: unknown; status?: number },
    options?: ErrorOptions,
  ) {
    super(message, { code: 'transport.rpc', retryable: false, ...options })
    this.rpcCode = code
    this.answer = answer
    this.data = data
    this.status = status
  }
}

/**
 * Not a failure: complete units were committed, and the rest must wait until `resumeAt`, for example because the budget is spent. Exit
 * code 7.
 */
export class PostponedError extends ChainlakeError {
  readonly resumeAt: Date
  constructor(message: string, resumeAt: Date, options?: ErrorOptions) {
    const details = { 'not before': resumeAt.toISOString(), ...options?.details }
    super(message, 7, 'postponed', { ...options, details })
    this.resumeAt = resumeAt
  }
}

/** Rows do not match the schema of their table. Exit code 4. */
export class SchemaError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 4, 'schema', options)
  }
}

/** A table of the lake was written with a schema that is incompatible with the declared one. */
export class SchemaChangedError extends SchemaError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'schema.changed', ...options })
  }
}

/** The catalog refused an operation. Exit code 5. */
export class CatalogError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 5, 'catalog', options)
  }
}

/** Another process holds the catalog or the stream. */
export class LockedError extends CatalogError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'catalog.locked', ...options })
  }
}

/**
 * The database of the catalog does not answer, or has no free connection. It is not a `TransportError`: after a source fails, the run
 * still commits what it has read, which it cannot do without the catalog.
 */
export class CatalogUnreachableError extends CatalogError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'catalog.unreachable', retryable: true, ...options })
  }
}

/** Live runs hold streams that this run needs. It can start when they have ended. Exit code 8. */
export class StreamTakenError extends LockedError {
  override readonly exitCode: number = 8
  /** Ids of the streams. */
  readonly streams: readonly string[]
  constructor(message: string, streams: readonly string[], options?: ErrorOptions) {
    super(message, { code: 'catalog.stream-locked', ...options })
    this.streams = streams
  }
}

/** The lake was written by an unknown version of chainlake. */
export class UnknownVersionError extends CatalogError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'catalog.unknown-version', ...options })
  }
}

/** The source has another network, chain or index order than the lake. */
export class OtherSourceError extends CatalogError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'catalog.other-source', ...options })
  }
}

/** The disk or the object store refused: it is full, read-only or unreachable. Exit code 5. */
export class StorageError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 5, 'storage', options)
  }
}

/** Data in the lake is wrong or missing. Exit code 6. */
export class VerifyError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 6, 'verify', options)
  }
}
