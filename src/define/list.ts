import type { EvmOutcome, EvmRefusal, Slice, Stream } from '../model.ts'
import { type Endpoint, type RowsOf, type Tables, theNode } from './range.ts'

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

/** A context for answers that are read outside a run. It is silent about unknown fields, which runs report. */
export function quietContext(observationId = '', observedAt = 0n): ReadingContext {
  return { observationId, observedAt, unknownField: () => undefined, memory: new Map() }
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
  /** The request of a page: that of the token, or the first one. */
  readonly request: (token: string | null) => Question
  /** Turns an answer into rows, items and the next token. */
  readonly decode: DecodePage<T>
  /** Which rows the request allows. */
  readonly requested?: Requested
  /** Turns a refusal of a node into a page. */
  readonly refused?: ReadRefusal<T>
  /** Its tokens are numbers of items or pages. A later run does not resume with one, because items may have moved to other pages meanwhile. */
  readonly isCounted?: true
  /** Answers have no token for a next page: one that is full may have been cut off. */
  readonly isOnePage?: true
  /**
   * What a page with the same items as the page before it means. `end`: the end of the list, as is a page with nothing new. `allowed`: nothing.
   * Default: the service left out the page that belongs there. The run requests it again, and then fails.
   */
  readonly repeats?: 'end' | 'allowed'
}

/**
 * A list in descending order. The run reads it from its head down to known rows, and then continues to its end. If its table has versions,
 * a row is stored when it differs from its latest version.
 */
export type PageChain<T extends Tables = any> = {
  readonly kind: 'pageChain'
  /** The list, newest item first. */
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
 * tokens. If a token has expired after the run reached the end once, the run reads the newer items from the newest down; a list that has only
 * one order is then read from its beginning again.
 */
export type OldestFirst<T extends Tables = any> = {
  readonly kind: 'oldestFirst'
  /** The list, oldest item first. */
  readonly list: List<T>
  /** The same list with the newest item first. Omitted where requests cannot turn the order. */
  readonly newestFirst?: List<T>
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
   * The request for the source's head: its last coordinate, or null when it has none yet. The clock would not do: a service may be behind it,
   * and rows that it lists later must not fall into a time that counts as read. A wrong head would mark rows of the future as read: two
   * answers must confirm a block, and the clock a time. A service without such an answer may promise to list all rows within `behind`
   * seconds: then the head of a time window is the clock minus these.
   */
  readonly head:
    | { readonly request: Question; readonly decode: (answer: unknown) => number | null }
    | { readonly behind: number }
  /**
   * A run also reads this many coordinates beyond the head, and the next run reads them again. Rows may exist there before the head
   * includes them. The run reads the list as a `Range` with this as its `beyond`.
   */
  readonly ahead: number
  /** The list for a range; for a `heightRange`, the list for one height. */
  readonly list: (slice: Slice) => List<T>
  /**
   * Requests of a `timeWindow` name whole days or months in UTC. Only those that are over count as read: rows of the last one may have its
   * first second as their time and appear later.
   */
  readonly unit?: 'day' | 'month' | undefined
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
  /** The lists that are read for it, one after another. */
  readonly lists: readonly List<T>[]
}

/**
 * Lists without history. Each observation reads them completely, and its rows become visible when it is complete: of tables with versions,
 * the changed ones.
 */
export type Observation<T extends Tables = any> = {
  readonly kind: 'snapshot'
  readonly subjects: readonly Subject<T>[]
}

/**
 * A series of points, newest first. The run reads from the newest point down to the end of the committed points without a gap. It commits
 * the whole series or nothing.
 */
export type Series<T extends Tables = any> = {
  readonly kind: 'series'
  /** The list of the points. */
  readonly list: List<T>
  /** Time of the first requested point, in Unix seconds. */
  readonly from: number
  /** The time between two points: seconds, or a month of the calendar in UTC. */
  readonly interval: number | 'month'
  /** Number of committed points that the run reads again. */
  readonly again: number
  /** As in `PageChain`. */
  readonly retention?: number | undefined
}

/** The request for one key, in one call or several. If the answer has no rows, the next run requests the key again. */
export type KeyedQuestion<T extends Tables = any> = {
  /** Values of the key columns of the stream's first table, except `network`. */
  readonly key: Readonly<Record<string, string | number | bigint>>
  /** The request for the key. */
  readonly request: Question
  /** Creates the next request when an answer names a next token. The last of several calls for a key gives its rows. */
  readonly next?: (token: string) => Question
  /** Turns an answer into the rows of the key. */
  readonly decode: DecodePage<T>
  /** Turns a refusal of a node into its rows. */
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

/** Cost class of a route; the profile sets the compute units of each class. */
export type Weight = 'free' | 'small' | 'medium' | 'large' | 'xl' | 'xxl'

/** One request to a service. Its settings add base URL, key and limits when the run sends the request. */
export type ServiceRequest = {
  /** A host of the REST service, or a service that chainlake.yaml declares. */
  readonly host: 'data' | 'metrics' | { readonly service: string }
  readonly method: 'GET' | 'POST'
  /** Path after the base URL. It begins with `/`; its variable parts are percent-encoded. */
  readonly path: string
  /** Undefined values are omitted; a list becomes a repeated key. */
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** Sent as JSON. */
  readonly body?: object
  /** Its class, or the units that it costs. */
  readonly weight: Weight | number
  /** One sentence about a route that services may have removed. The error for a missing route shows it. */
  readonly gone?: string
  /**
   * Statuses other than 2xx that come with an answer, such as 404 for an empty list. With this field, even if it is empty, the answer is a
   * `ServiceAnswer`.
   */
  readonly answers?: readonly number[]
}

/** An answer with what is not in its body. */
export type ServiceAnswer = {
  readonly status: number
  /** Path and query of the link to the next page, as requests name them; null without one. It leads to the same origin. */
  readonly next: string | null
  /** Null for a status other than 2xx, and for 204, which has no content. */
  readonly json: unknown
}

/**
 * A JSON-RPC call of a node. Path and method have the names of the specification (`/ext/bc/X` with `xvm.getTx`, `/ext/bc/C/cx` with
 * `cx.getUTXOs`, `/ext/bc/C/admin` with `admin_getVMConfig`). When the run sends the call, it finds out which names the node uses.
 */
export type NodeCall = {
  readonly host: 'node'
  readonly endpoint: Endpoint
  /** Path after the base URL of the endpoint. It begins with `/`, or is empty where the URL is complete. */
  readonly path: string
  readonly method: string
  /** An object, even where the specification wants it in a list; a list for the methods of an EVM. */
  readonly params: Readonly<Record<string, unknown>> | readonly unknown[]
}

/** A call of the node of the run. */
export function nodeCall(path: string, method: string, params: NodeCall['params'] = {}): NodeCall {
  return { host: 'node', endpoint: theNode, path, method, params }
}

/** A GET request to a node, such as for its health. The answer is a `NodeGetAnswer`. */
export type NodeGet = {
  readonly host: 'node'
  readonly endpoint: Endpoint
  readonly path: string
  readonly method: 'GET'
  /** A list becomes a repeated key. */
  readonly query: Readonly<Record<string, readonly string[]>>
  /** Statuses other than 200 that come with an answer, such as 503 from a node that reports itself unhealthy. */
  readonly answers: readonly number[]
}

/** The answer to a GET request: its status and its JSON. */
export type NodeGetAnswer = { readonly status: number; readonly json: unknown }

/** Something that calls of an EVM ask about at a block, such as the balance of an account. */
export type EvmSubject = {
  /** Identifies it among the subjects of a job. */
  readonly name: string
  /** The calls. `block` is the number of the block as the RPC takes it. */
  readonly calls: (block: string) => readonly { readonly method: string; readonly params: readonly unknown[] }[]
  /** Further calls that the outcomes make necessary; their outcomes follow. Default: none. */
  readonly next?: (outcomes: readonly EvmOutcome[], block: string) => ReturnType<EvmSubject['calls']>
  /** Whether a refusal of a call is an answer, such as that of a reverted call. Default: every refusal is a failure. */
  readonly isAnswer?: (refusal: EvmRefusal) => boolean
}

/** The calls about a subject at a block of an EVM. The answer is an `EvmCell`. */
type NodeCell = {
  readonly host: 'node'
  readonly endpoint: Endpoint
  readonly path: string
  readonly subject: EvmSubject
  readonly block: number
}

/** A request of a walk over lists to a service or node. */
export type Question = ServiceRequest | NodeCall | NodeGet | NodeCell

/** The error object with which a node answers a call. */
export type Refusal = { readonly code: number; readonly message: string }

/**
 * The stream of a service's rows. `path` names the pipeline and what its requests are about. If that is a chain, give it as `chain`: it ends
 * the path, as in `tps/43114` or `rest-utxos/P`, and `verify` compares the chain of the rows with it. `parameters` are those that select
 * rows; undefined ones are omitted. The order of a list matters: another order is another stream.
 */
export function serviceStream(
  network: string,
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
  chain?: string,
): Stream {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'object' ? value : String(value)] as const],
  )
  return {
    network,
    path: chain === undefined ? path : `${path}/${chain}`,
    kind: path,
    chain,
    parameters: Object.fromEntries(given),
  }
}

/** The stream of rows from nodes. Its path differs from the path of a service's stream with the same name. */
export function nodeStream(...given: Parameters<typeof serviceStream>): Stream {
  const stream = serviceStream(...given)
  return { ...stream, path: `node/${stream.path}` }
}
