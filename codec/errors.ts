/** Facts that an error states below its message, by name. */
export type ErrorFacts = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>

/** What an error says besides its message. */
export type ErrorOptions = {
  /** A stable, dotted name that scripts may match on, such as `http.status`. */
  code?: string
  /** Facts that are printed below the message, one per line. The thrower must redact URLs and keys. */
  details?: ErrorFacts
  /** What the user should do now. */
  hint?: string
  retryable?: boolean
  cause?: unknown
}

/** An error that is thrown on purpose: what happened, the facts, and what to do. `retryable` and `exitCode` say what a caller does next. */
export class ExplainedError extends Error {
  readonly code: string
  readonly details: ErrorFacts
  readonly hint: string | undefined
  readonly retryable: boolean
  readonly exitCode: number

  constructor(message: string, exitCode: number, defaultCode: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.exitCode = exitCode
    this.code = options.code ?? defaultCode
    this.details = options.details ?? {}
    this.hint = options.hint
    this.retryable = options.retryable ?? false
  }
}

/** Bytes or fields violate their format. The decoder never skips them. Exit code 4. */
export class DecodeError extends ExplainedError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 4, 'decode', options)
  }
}
