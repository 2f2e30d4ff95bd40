import { ExplainedError as ChainlakeError, type ErrorKind, type ErrorOptions } from '../codec/errors.ts'

/**
 * The errors of chainlake. The class says what failed, with the exit code of the command, and `kind` what a caller does next.
 */

/** `ChainlakeError`: every error that chainlake throws on purpose, those of the codec and the classes below. */
export {
  DecodeError,
  type ErrorFacts,
  type ErrorKind,
  type ErrorOptions,
  ExplainedError as ChainlakeError,
} from '../codec/errors.ts'

/** The codes of each kind. Any other code has the kind of its class, or the one that its thrower states. */
const codesOfKinds: Readonly<Partial<Record<ErrorKind, readonly string[]>>> = {
  lagging: ['evm.incomplete-logs', 'evm.missing-block', 'evm.other-block', 'index.ends-early', 'transport.no-block'],
  'too large': ['transport.too-large', 'transport.window'],
  pruned: ['evm.no-state', 'index.incomplete'],
  unsupported: ['evm.no-method', 'transport.no-index'],
  taken: ['catalog.stream-locked', 'catalog.work-locked'],
  conflict: ['catalog.conflict', 'catalog.overtaken'],
  overtaken: ['catalog.observation', 'catalog.overlap'],
  uncertain: ['catalog.unknown-outcome'],
  unfit: [
    ...['pipelines.changed', 'work.definition', 'work.format', 'work.lake', 'work.node-network', 'work.other-chain'],
    ...['work.pipeline', 'work.task', 'work.url'],
  ],
  lasting: [
    ...['evm.logs', 'evm.traces', 'transport.closed', 'transport.encoding', 'transport.endless-list', 'transport.head'],
    ...['transport.link', 'transport.repeated-page', 'transport.tls', 'transport.token'],
  ],
}
const kindsOfCodes = new Map(
  Object.entries(codesOfKinds).flatMap(([kind, codes]) => codes.map((code) => [code, kind as ErrorKind] as const)),
)

function withKind(options: ErrorOptions = {}, usual: ErrorKind = 'lasting'): ErrorOptions {
  return { ...options, kind: options.kind ?? kindsOfCodes.get(options.code ?? '') ?? usual }
}

/** The kind of an error; null for anything else that was thrown, such as the reason of a signal. */
export function errorKind(error: unknown): ErrorKind | null {
  return error instanceof ChainlakeError ? error.kind : null
}

/** A table or pipeline is declared wrongly: a mistake in the program, not in its input. Exit code 2. */
export class DefinitionError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, 'definition', options)
  }
}

/** A flag, a configuration file or a query is wrong. Exit code 2. */
export class ConfigError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, 'config', withKind(options))
  }
}

/** A source failed to answer. Only sources throw it; the catalog and the store of the data files throw other errors. Exit code 3. */
export class TransportError extends ChainlakeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 3, 'transport', withKind(options, 'transient'))
  }
}

/** The source did not answer in time. */
export class TimeoutError extends TransportError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'transport.timeout', ...options })
  }
}

/** The response has a status other than 2xx. Transient for 408, 425 and 5xx. */
export class HttpError extends TransportError {
  readonly status: number
  constructor(message: string, status: number, options?: ErrorOptions) {
    const isPassing = status >= 500 || status < 300 || status === 408 || status === 425
    super(message, withKind({ code: 'transport.http', ...options }, isPassing ? 'transient' : 'lasting'))
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

/** A JSON-RPC error object: its code and, in `answer`, its message, which say its kind. */
export class RpcError extends TransportError {
  readonly rpcCode: number
  readonly answer: string
  /** The `data` of the error object, such as what a reverted call returned; null without it. */
  readonly data: unknown
  /** The HTTP status of the answer. */
  readonly status: number
  /** Whether its code or status says that it passes, whatever its words say. */
  readonly passes: boolean
  /** Whether its words say nothing but that something failed: another try may show what it is. */
  readonly isVague: boolean
  constructor(
    message: string,
    {
      code,
      answer,
      data = null,
      status = 200,
      passes = false,
    }: { code: number; answer: string; data?: unknown; status?: number; passes?: boolean },
    options?: ErrorOptions,
  ) {
    const said = kindOfRefusal(code, answer)
    const isTransient = passes && said !== 'lagging' && said !== 'pruned'
    super(message, withKind({ code: 'transport.rpc', ...options }, isTransient ? 'transient' : said))
    this.rpcCode = code
    this.answer = answer
    this.data = data
    this.status = status
    this.passes = passes
    this.isVague = vagueWords.test(answer)
  }

  /**
   * Words are a guess: the source asks a node that seems to lag a few times, and a following run waits for it only if it served the job
   * before.
   */
  override get retryable(): boolean {
    return this.passes || this.kind === 'transient'
  }

  /** Whether it is certainly about the method. Other words may be about one block or transaction. */
  get isAboutMethod(): boolean {
    return this.rpcCode === methodNotFound || wordsOfNodes.test(this.answer)
  }
}

/**
 * What the words of a node mean. Each node and provider has its own. Those about a method count only if they are not about a block or state:
 * nodes also write "is not available" and "not found" about these.
 */
function kindOfRefusal(code: number, answer: string): ErrorKind {
  if (code === methodNotFound) return 'unsupported'
  if (wordsOfMissingState.test(answer)) return 'pruned'
  if (wordsOfLag.some((words) => words.test(answer))) return 'lagging'
  const isMissingMethod =
    code === methodNotSupported ||
    wordsOfNodes.test(answer) ||
    wordsOfMissingMethod.test(answer) ||
    (codesWithoutMethod.has(code) && /^\W*(not|un)[ -]?(supported|found|available|implemented)\W*$/i.test(answer))
  if (isMissingMethod) return 'unsupported'
  const isLasting = code === reverted || /revert/i.test(answer) || wordsOfLasting.test(answer)
  return !isLasting && wordsOfOutage.test(answer) ? 'transient' : 'lasting'
}

/** The code of a call that reverted. What it says comes from a contract. */
const reverted = 3

/** How nodes, and gateways in front of them, say that they fail at the moment, whatever is requested. */
const wordsOfOutage =
  /\btemporar(y|ily)\b|\b(busy|overloaded|over capacity|unhealthy|bad gateway|gateway time-?out|under maintenance|at this time|please retry)\b|\b(server|service|node|backend|upstream|gateway|provider)s?\b[^.]*\b(unavailable|offline|exhausted|not (healthy|ready|responding|available))\b|\bno (\w+ )?(backend|upstream|node|server|provider|worker)s?\b[^.]*\b(available|healthy|left)\b|\bupstream (connect|request|error)|\bconnection (reset|refused|closed)\b/i
const vagueWords = /^\W*((internal|unexpected)( server| json-?rpc)?|server) error\W*$/i
/** What stays as it is until somebody changes the node or the plan of its user, whatever words are around it. */
const wordsOfLasting = /\b(archiv\w*|plans?|tiers?|upgrade|subscri\w+|prun\w+|limits?)\b/i

/** How nodes say that they do not have a block, its receipts or a container yet. None of it is about the length of a range. */
const wordsOfLag = [
  /no container at index|start index .* > last accepted/,
  /cannot query unfinalized|unfinalized data|after last accepted|null round|resource not found/i,
  /\b(header|block|blocks specified|tipset|epoch|receipts?|height|results?)\b[^.]{0,80}? (not (yet )?(found|available|indexed|produced|synced)|(does not|doesn't) exist|(cannot|could not) be found|unavailable)\b/i,
  /\b(unknown|no such|(could|can) ?not (find|get|fetch|load)|(can't|couldn't|failed to) (find|get|fetch|load)) (the )?(requested )?(block|header|height|tipset|receipts?|results?)\b/i,
  /\binvalid (block )?height\b|\bheight \S+ must be (less|lower)|\bnot yet (mined|available|indexed)\b|\bblock\b.*\bin the future\b/i,
  /\b(block|height|number|range|epoch)\b.*\b(beyond|past|after|above|(greater|higher|larger|later|newer) than|ahead of|exceeds?) (the )?'?(current|latest|last|best|chain|canonical|known|node)\b/i,
]

const wordsOfMissingState =
  /missing trie node|historical state|reexec=|state .*(not available|unavailable|pruned|discarded)|no state (available|found)|failed to load state\b/i

const methodNotFound = -32601
/** How AvalancheGo says it, whatever is requested. */
const wordsOfNodes = /can't find (service|method)|request ill-formed/

/** EIP-1474. */
const methodNotSupported = -32004
/** Codes with which gateways refuse a method. */
const codesWithoutMethod: ReadonlySet<number> = new Set([-32700, -32600, -32001])

const wordsOfMissingMethod =
  /\b(method|api|endpoint|(eth|debug|trace|net|web3)_\w+)\b[^.]*\b((is |was |are )?(not|n't) (yet |currently )?(be )?(supported|found|available|allowed|whitelisted|white-listed|implemented|enabled|exist\w*|recogni[sz]ed|permitted|offered|registered)|(does not|doesn't) exist|unsupported|unavailable|disabled|blocked|forbidden|unknown)|\b(unsupported|unknown|unrecogni[sz]ed|unimplemented|no such|disabled|blocked|forbidden|invalid) (rpc |json-rpc )?(method|api|endpoint)\b/i

/**
 * Not a failure: complete units were committed, and the rest must wait until `resumeAt`, for example because the budget is spent. Exit
 * code 7.
 */
export class PostponedError extends ChainlakeError {
  readonly resumeAt: Date
  constructor(message: string, resumeAt: Date, options?: ErrorOptions) {
    const details = { 'not before': resumeAt.toISOString(), ...options?.details }
    super(message, 7, 'postponed', { kind: 'postponed', ...options, details })
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
    super(message, 5, 'catalog', withKind(options))
  }
}

/** Another process holds the catalog or the stream, or does the same work. */
export class LockedError extends CatalogError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, withKind({ code: 'catalog.locked', ...options }, 'held'))
  }
}

/**
 * The database of the catalog does not answer, or has no free connection. It is not a `TransportError`: after a source fails, the run
 * still commits what it has read, which it cannot do without the catalog.
 */
export class CatalogUnreachableError extends CatalogError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { code: 'catalog.unreachable', kind: 'transient', ...options })
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
