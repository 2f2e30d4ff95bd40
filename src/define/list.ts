import type { Slice } from '../model.ts'
import type { Question, Refusal } from './question.ts'
import type { RowsOf, Tables } from './range.ts'

/** Walks over lists and single answers of services and nodes: inert data and pure functions that `run/` reads. */

/** What decoders may use besides the answer. */
export type ReadingContext = {
  /** Id and time of the observation that the rows belong to; of other walks the run's id and the time of the request. */
  readonly observationId: string
  /** Microseconds since 1970 UTC. */
  readonly observedAt: bigint
  /** Called with each field that the decoder does not know, such as `transactions[].newField`; the run counts it and reports it once. */
  readonly unknownField: (path: string) => void
  /** Kept from page to page of one slice or of one list; empty at its beginning. */
  readonly memory: Map<string, unknown>
}

/** An item of a list in the order of the list. */
export type PageItem = {
  /** What names the item in its list, the same text on every page that shows it. */
  readonly key: string
  /** Unix seconds; null where items have no time. */
  readonly time: number | null
}

export type Page<T extends Tables = any> = {
  readonly rows: RowsOf<T>
  readonly items: readonly PageItem[]
  /** Token of the next page; null at the end: the service gave none or an empty one. */
  readonly next: string | null
}

/** Pure: turns the answer's JSON into rows; `token` is the token of the request. Throws `DecodeError` naming the field; never skips. */
export type DecodePage<T extends Tables = any> = (
  answer: unknown,
  context: ReadingContext,
  token?: string | null,
) => Page<T>

/** Pure: the meaning of a node's refusal, such as a row that records it; null: it is a failure. */
export type ReadRefusal<T extends Tables = any> = (
  refusal: Refusal,
  context: ReadingContext,
  token?: string | null,
) => Page<T> | null

/**
 * What the rows of a list must say because the request asked for it. An answer with another row is refused. Values are compared as bytes,
 * whatever their spelling. A column that a row does not have, or that is null or an empty list, says nothing.
 */
export type Asked = {
  /** Each of these must hold: one of the columns has one of its values, or a list with one of them. */
  readonly values?: readonly AskedValues[]
  readonly range?: AskedRange
}

/** Columns and what they may hold. */
export type AskedValues = Readonly<Record<string, readonly string[]>>

/** The requested blocks, heights or seconds. Rows outside `slice` are left out. */
export type AskedRange = {
  readonly column: string
  readonly slice: Slice
  /** How far outside of the slice rows may be: the request asks for more, or services do not say whether bounds are inside. */
  readonly margin: { readonly before: number; readonly after: number }
}

/** A list with or without pages. */
export type List<T extends Tables = any> = {
  readonly request: (token: string | null) => Question
  readonly decode: DecodePage<T>
  readonly asked?: Asked
  readonly refused?: ReadRefusal<T>
}

/** A list in descending order, read from its head down to known rows, and then on to its end. */
export type PageChain<T extends Tables = any> = {
  readonly kind: 'pageChain'
  readonly list: List<T>
  /** Seconds below the newest known row that are read again, for rows that came late. */
  readonly trailing: number
}

/**
 * A list with the oldest first, read from its beginning to its end; what is new comes at its end. Reading goes on with page tokens;
 * when they have died after the end was reached once, what came since is read from the newest on.
 */
export type OldestFirst<T extends Tables = any> = {
  readonly kind: 'oldestFirst'
  readonly list: List<T>
  /** The same list the other way round. */
  readonly newestFirst: List<T>
  /** Seconds below the newest known row that are read again, for rows that came late. */
  readonly trailing: number
}

/**
 * A route that is asked for ranges: of blocks, seconds or heights. A range is read whole before it is committed. Its lists say in `asked`
 * which rows are of the range.
 */
export type RangeWalk<T extends Tables = any> = {
  readonly kind: 'blockWindow' | 'timeWindow' | 'heightRange'
  /** First coordinate, inclusive. */
  readonly from: number
  /** Last coordinate, exclusive; null: up to the head. */
  readonly to: number | null
  /**
   * What says how far the source is: its last coordinate, null when it has none yet. Never the clock: a service may be behind, and
   * what it lists later must not lie in a time that counts as read.
   */
  readonly head: { readonly request: Question; readonly decode: (answer: unknown) => number | null }
  /** Coordinates beyond the head that are read too, and again by the next run: rows may be there before the head says so. */
  readonly ahead: number
  /** The list of a range; of a `heightRange` the list of one height. */
  readonly list: (slice: Slice) => List<T>
  /** Coordinates below the covered end that are read again, for rows that came late. */
  readonly trailing: number
  /** Length of the first range of heights. Of the others the first range is the whole one; a service that refuses it shall accept this. */
  readonly first: number
}

/** Something that an observation reads whole: a wallet, a set of addresses, a contract. */
export type Subject<T extends Tables = any> = {
  /** Names it in the table `observations`, such as `43114/0x…`. */
  readonly name: string
  readonly lists: readonly List<T>[]
}

/** Lists without history, read whole each time; visible only when complete. */
export type Observation<T extends Tables = any> = {
  readonly kind: 'scan' | 'snapshot'
  readonly subjects: readonly Subject<T>[]
}

/** A series of points, newest first, read from the newest point down to the end of the committed points without a gap. Committed only as a whole. */
export type Series<T extends Tables = any> = {
  readonly kind: 'series'
  readonly list: List<T>
  /** Time of the first requested point, in Unix seconds. */
  readonly from: number
  /** Seconds between two points. */
  readonly interval: number
  /** Committed points that are read again. */
  readonly again: number
}

/** What is asked for one key, in one call or in several. An answer without rows leaves it to the next run. */
export type KeyedQuestion<T extends Tables = any> = {
  /** Values of the key's columns of the stream's first table, besides `network`. */
  readonly key: Readonly<Record<string, string | number | bigint>>
  readonly request: Question
  /** Asks on where an answer names a next token: of several calls for a key the last one gives its rows. */
  readonly next?: (token: string) => Question
  readonly decode: DecodePage<T>
  readonly refused?: ReadRefusal<T>
}

/** One question per key; a key that has a row is done. */
export type Keyed<T extends Tables = any> = {
  readonly kind: 'keyed'
  readonly keys: readonly KeyedQuestion<T>[]
  /** What it means when the answer for a key has no row; absent where each answer has one. */
  readonly unanswered?: {
    /** The column of the key that names it for people, such as `block_id`. */
    readonly column: string
    /** A clause, such as `the node does not know these blocks`. */
    readonly reason: string
    /** What to do next, a sentence. */
    readonly hint: string
  }
}

export type ServiceWalk<T extends Tables = any> =
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
  /** As paths name it: `p-chain`, or the id where the job gave that. */
  readonly pathName: string
}

/** What pipelines must know of the profile to make requests. */
export type ServiceSettings = {
  /** The name of the network in paths: `mainnet`, `fuji`, `testnet`. `network` is the lake's name. Throws `ConfigError`. */
  readonly networkInPath: (network: string) => string
  /** A chain by alias (`p-chain`, `x-chain`, `c-chain`) or id. Throws `ConfigError` for one that is not known. */
  readonly blockchain: (network: string, name: string) => Blockchain
  /** Addresses that one GET and one POST request take. */
  readonly getAddresses: number
  readonly postAddresses: number
  /** Path of the TPS series with `{chainId}` in it, such as `/v1/avg_tps/{chainId}`. */
  readonly tpsPath: string
  /** Names of the body field for the signing subnet; it is sent under each of them. */
  readonly signingSubnetFields: readonly string[]
}
