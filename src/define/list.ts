import type { Slice } from '../model.ts'
import type { Question, Refusal } from './question.ts'
import type { RowsOf, Tables } from './range.ts'

/** Walks over lists and single answers of services and nodes: inert data and pure functions that `run/` reads. */

/** The facts that decoders may use in addition to the answer. */
export type ReadingContext = {
  /** Id of the observation that the rows belong to. Other walks give the run's id here, and the time of the request as `observedAt`. */
  readonly observationId: string
  /** Microseconds since 1970 UTC. */
  readonly observedAt: bigint
  /** Called with each field that the decoder does not know, such as `transactions[].newField`; the run counts it and reports it once. */
  readonly unknownField: (path: string) => void
  /** State that a decoder keeps between the pages of one slice or one list. It is empty at the beginning of each. */
  readonly memory: Map<string, unknown>
}

/** An item of a list in the order of the list. */
export type PageItem = {
  /** Identifies the item in its list: the same text on every page that contains the item. */
  readonly key: string
  /** Unix seconds; null where items have no time. */
  readonly time: number | null
}

/** What a decoder made of an answer: rows by table, the items of the list, and the token of the next page. */
export type Page<T extends Tables = any> = {
  readonly rows: RowsOf<T>
  readonly items: readonly PageItem[]
  /** Token of the next page; null on the last page, where the service gives no token or an empty one. */
  readonly next: string | null
}

/**
 * Pure: turns the answer's JSON into rows. `token` is the page token of the request. Throws `DecodeError` that names the field; never skips
 * a row.
 */
export type DecodePage<T extends Tables = any> = (
  answer: unknown,
  context: ReadingContext,
  token?: string | null,
) => Page<T>

/** Pure: turns a node's refusal into a page, such as a row that records the refusal. Null: the refusal is a failure. */
export type ReadRefusal<T extends Tables = any> = (
  refusal: Refusal,
  context: ReadingContext,
  token?: string | null,
) => Page<T> | null

/**
 * Rules for the rows of a list that follow from its request. The run refuses an answer with a row that breaks one. It compares values as
 * bytes, so their spelling does not matter. A rule ignores a row that does not have the column, or has null or an empty list in it.
 */
export type Requested = {
  /** Every entry must hold: at least one of its columns has one of the given values, or a list that contains one of them. */
  readonly values?: readonly RequestedValues[]
  readonly range?: RequestedRange
}

/** Columns and what they may hold. */
export type RequestedValues = Readonly<Record<string, readonly string[]>>

/** The requested blocks, heights or Unix seconds. The run drops rows outside `slice`. */
export type RequestedRange = {
  readonly column: string
  /** Whether the column holds blocks or heights, or times. */
  readonly holds: 'numbers' | 'times'
  readonly slice: Slice
  /**
   * How many coordinates outside the slice a row may be: the request covers more than the slice, or services do not document whether bounds
   * are inclusive.
   */
  readonly margin: { readonly before: number; readonly after: number }
}

/** A list with or without pages. */
export type List<T extends Tables = any> = {
  readonly request: (token: string | null) => Question
  readonly decode: DecodePage<T>
  readonly requested?: Requested
  readonly refused?: ReadRefusal<T>
  /** Its tokens are numbers of items or pages. A later run does not resume with one, because items may have moved to other pages meanwhile. */
  readonly isCounted?: true
}

/**
 * A list in descending order. The run reads it from its head down to known rows, and then continues to its end. If its table has versions,
 * a row is stored when it differs from its latest version.
 */
export type PageChain<T extends Tables = any> = {
  readonly kind: 'pageChain'
  readonly list: List<T>
  /** The run reads this many seconds before the newest known row again, because rows may appear late. */
  readonly trailing: number
  /** How long the service keeps items, in seconds: an end above older known rows is not a fault. Default: it keeps all items. */
  readonly retention?: number | undefined
  /** Rows with versions that may still change. After the list was read to its end, each run reads it again down to the oldest of them. */
  readonly open?: {
    /** What the latest version of such a row has, such as `{ message_status: ['pending'] }`. */
    readonly where: RequestedValues
    /** The time column that the list is ordered by. */
    readonly time: string
  }
}

/**
 * A list with the oldest item first; new items appear at its end. The run reads it from its beginning to its end and resumes with page
 * tokens. If a token has expired after the run reached the end once, the run reads the newer items from the newest down.
 */
export type OldestFirst<T extends Tables = any> = {
  readonly kind: 'oldestFirst'
  readonly list: List<T>
  /** The same list with the newest item first. */
  readonly newestFirst: List<T>
  /** The run reads this many seconds before the newest known row again, because rows may appear late. */
  readonly trailing: number
  /** As in `PageChain`. */
  readonly retention?: number | undefined
}

/** The clock of a service, or of this machine, may be wrong by this many seconds: a newest time further ahead is not believed. */
export const clockTolerance = 86_400

/**
 * A route that takes ranges of blocks, seconds or heights. The run reads a complete range before it commits the range. The lists of a range
 * define in `requested` which rows belong to it.
 */
export type RangeWalk<T extends Tables = any> = {
  readonly kind: 'blockWindow' | 'timeWindow' | 'heightRange'
  /** First coordinate, inclusive. */
  readonly from: number
  /** Last coordinate, exclusive; null: up to the head. */
  readonly to: number | null
  /**
   * The request for the source's head: its last coordinate, or null when it has none yet. The run never uses the clock instead, because a
   * service may be behind it, and rows that it lists later must not fall into a time that counts as read. A wrong head would mark rows of
   * the future as read: two answers must confirm a block, and the clock a time.
   */
  readonly head: { readonly request: Question; readonly decode: (answer: unknown) => number | null }
  /**
   * A run also reads this many coordinates beyond the head, and the next run reads them again. Rows may exist there before the head
   * includes them.
   */
  readonly ahead: number
  /** The list for a range; for a `heightRange`, the list for one height. */
  readonly list: (slice: Slice) => List<T>
  /** The run reads this many coordinates below the covered end again, because rows may appear late. */
  readonly trailing: number
  /**
   * Length of the first range of a `heightRange`, in heights. The other walks first request the whole range; a service that refuses it
   * should accept this length.
   */
  readonly first: number
}

/** Something that an observation reads completely, such as a wallet, a set of addresses or a contract. */
export type Subject<T extends Tables = any> = {
  /** Its name in the table `observations`, such as `43114/0x…`. */
  readonly name: string
  readonly lists: readonly List<T>[]
}

/** Lists without history. Each observation reads them completely, and its rows become visible when it is complete. */
export type Observation<T extends Tables = any> = {
  readonly kind: 'scan' | 'snapshot'
  readonly subjects: readonly Subject<T>[]
}

/** The time between two points of a series: seconds, or a month of the calendar in UTC. */
export type Interval = number | 'month'

/**
 * A series of points, newest first. The run reads from the newest point down to the end of the committed points without a gap. It commits
 * the whole series or nothing.
 */
export type Series<T extends Tables = any> = {
  readonly kind: 'series'
  readonly list: List<T>
  /** Time of the first requested point, in Unix seconds. */
  readonly from: number
  readonly interval: Interval
  /** Number of committed points that the run reads again. */
  readonly again: number
  /** As in `PageChain`. */
  readonly retention?: number | undefined
}

/** The request for one key, in one call or several. If the answer has no rows, the next run requests the key again. */
export type KeyedQuestion<T extends Tables = any> = {
  /** Values of the key columns of the stream's first table, except `network`. */
  readonly key: Readonly<Record<string, string | number | bigint>>
  readonly request: Question
  /** Creates the next request when an answer names a next token. The last of several calls for a key gives its rows. */
  readonly next?: (token: string) => Question
  readonly decode: DecodePage<T>
  readonly refused?: ReadRefusal<T>
}

/** One request per key. A key that has a row is complete. */
export type Keyed<T extends Tables = any> = {
  readonly kind: 'keyed'
  readonly keys: readonly KeyedQuestion<T>[]
  /** A warning that each run of the walk gives first. */
  readonly notice?: string | null
  /** Explains an answer that has no row for a key. Omitted where each answer has a row. */
  readonly unanswered?: {
    /** The key column that messages show, such as `block_id`. */
    readonly column: string
    /** A clause, such as `the node does not know these blocks`. */
    readonly reason: string
    /** One sentence that says what to do next. */
    readonly hint: string
  }
}

/** Any walk over lists and single answers. */
export type ListWalk<T extends Tables = any> =
  | OldestFirst<T>
  | PageChain<T>
  | RangeWalk<T>
  | Observation<T>
  | Series<T>
  | Keyed<T>

/** A chain of the primary network as a job names it. */
export type Blockchain = {
  readonly alias: 'P' | 'X' | 'C'
  /** CB58 id. */
  readonly id: string
  /** Its name in paths: `p-chain`, or the id if the job names the chain by its id. */
  readonly pathName: string
}

/** What pipelines need from the profile of the service to create requests. */
export type ServiceSettings = {
  /** The name of the network in paths: `mainnet`, `fuji`, `testnet`. `network` is its name in the lake. Throws `ConfigError`. */
  readonly networkInPath: (network: string) => string
  /** A chain by alias (`p-chain`, `x-chain`, `c-chain`) or id. Throws `ConfigError` for an unknown chain. */
  readonly blockchain: (network: string, name: string) => Blockchain
  /** Maximum number of addresses in one GET request and in one POST request. */
  readonly getAddresses: number
  readonly postAddresses: number
  /** Path of the TPS series with `{chainId}` in it, such as `/v1/avg_tps/{chainId}`. */
  readonly tpsPath: string
  /** Names of the body field for the signing subnet. The request contains it under each of them. */
  readonly signingSubnetFields: readonly string[]
}
