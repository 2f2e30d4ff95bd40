/** Facts that an error states below its message, by name. */
export type ErrorFacts = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>

/**
 * What to do about an error. The class says what failed, and so who must act; the kind says whether the same call may succeed, and when. Each
 * error has one kind. It follows from its code (`src/errors.ts`), unless only the thrower knows it.
 */
export type ErrorKind =
  /** Source, server, network or disk fail at the moment: a request is sent again, then a following run repeats its round. */
  | 'transient'
  /** A node lags behind, its answer is damaged, or nodes behind one URL disagree: the source asks again a few times. */
  | 'lagging'
  /** More than a source returns at once: the window is cut. */
  | 'too large'
  /** The node no longer has the block or its state: older blocks are missing, too. */
  | 'pruned'
  /** The node does not have the method or the interface: the source uses another one, if there is one. */
  | 'unsupported'
  /** Another process holds the lock of the catalog, and releases it soon. Nothing was written. */
  | 'held'
  /** Another process works on the same streams, or does the same work: this one waits for its end, or leaves the work to it. */
  | 'taken'
  /** Another commit came after the rows were compared or the work was planned: this is done again. Nothing was written. */
  | 'conflict'
  /** Another process has committed the same part: a task plans the rest again. Nothing was written. */
  | 'overtaken'
  /** Whether the commit took place is unknown: its files stay, and the rest is planned again. */
  | 'uncertain'
  /** The rest must wait until a known time. */
  | 'postponed'
  /** Version, modules, URLs or node of this worker are not those of the task: it is left to others. */
  | 'unfit'
  /** Any other: the same call fails again until someone changes something. */
  | 'lasting'

const passing: readonly ErrorKind[] = ['transient', 'lagging', 'held', 'conflict', 'uncertain']

/** What an error says besides its message. */
export type ErrorOptions = {
  /** A stable, dotted name that scripts may match on, such as `http.status`. */
  code?: string
  /** Facts that are printed below the message, one per line. The thrower must redact URLs and keys. */
  details?: ErrorFacts
  /** What the user should do now. */
  hint?: string | undefined
  /** Default: that of the code or class. */
  kind?: ErrorKind
  cause?: unknown
}

/** An error that is thrown on purpose: what happened, the facts, and what to do. `kind` and `exitCode` say what a caller does next. */
export class ExplainedError extends Error {
  readonly code: string
  readonly details: ErrorFacts
  readonly hint: string | undefined
  readonly kind: ErrorKind
  readonly exitCode: number

  constructor(message: string, exitCode: number, defaultCode: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.exitCode = exitCode
    this.code = options.code ?? defaultCode
    this.details = options.details ?? {}
    this.hint = options.hint
    this.kind = options.kind ?? 'lasting'
  }

  /** Whether the same call may succeed later without anyone's help: a following run continues after the error. */
  get retryable(): boolean {
    return passing.includes(this.kind)
  }
}

/** Bytes or fields violate their format. The decoder never skips them. Exit code 4. */
export class DecodeError extends ExplainedError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 4, 'decode', options)
  }

  /** A run must not hide wrong data behind retries, so a source that asked several times ends it. */
  override get retryable(): boolean {
    return false
  }
}

/**
 * Runs a decoder. If it throws a `DecodeError`, `describe` returns the name and the facts of what was decoded: the error gets the name before
 * its message, and the facts. If `describe` returns null, the error stays as it is.
 */
export function decodingOf<T>(decode: () => T, describe: () => readonly [name: string, facts: ErrorFacts] | null): T {
  try {
    return decode()
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    const described = describe()
    if (described === null) throw cause
    const [name, facts] = described
    const { code, hint, message } = cause
    throw new DecodeError(`${name}: ${message}`, { code, hint, details: { ...facts, ...cause.details }, cause })
  }
}
