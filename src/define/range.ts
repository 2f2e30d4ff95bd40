import type { ChainContext, Container, Slice, SliceEnds, Stream } from '../model.ts'
import type { Connection } from './connection.ts'
import type { Bound } from './parameter.ts'
import type { RowOf, Table } from './table.ts'

/** Tables by the names that decoders give them. */
export type Tables = { readonly [name: string]: Table }
/** Rows by the names of their tables. */
export type RowsOf<T extends Tables> = { [K in keyof T]: RowOf<T[K]>[] }

/** Pure: a record's rows, by table. Throws `DecodeError`; never skips a record. */
export type ReadRecord<R, T extends Tables = any> = (record: R, context: any) => RowsOf<T>

/** A decoder of containers, as in `decode/`. */
export type Decode<T extends Tables = any> = (container: Container, context: ChainContext) => RowsOf<T>

/** Tables that one function fills together. */
export type RangeOutput<R = any, T extends Tables = any> = { readonly tables: T; readonly read: ReadRecord<R, T> }

/** Id of a block and of its parent, which is in the record before. */
export type BlockLink = { readonly id: string; readonly parentId: string }

/** A walk over records of any source: blocks by height, containers by index. */
export type Range<R = any> = {
  readonly kind: 'range'
  /** Name of a record for messages, in the singular: `container`, `block`. */
  readonly record: string
  /** What coordinates count; `heights` begin at 1. Default: the records. */
  readonly counts?: 'heights'
  /** The path that the walk reads, as errors name it, such as `the node's index P/block`. */
  readonly what: string
  readonly endpoint: Endpoint
  /** Where the chain may announce new records, so that a following run needs not wait for its next poll. Default: nowhere. */
  readonly heads?: Heads
  /** Loads and creates the adapter without sending requests. `underWay`: number of concurrent windows. */
  readonly source: (connection: Connection, options: { readonly underWay: number }) => Promise<RangeSource<R>>
  /** First coordinate, inclusive; a time only where the source has `times`. */
  readonly from: Bound
  /** End, exclusive. Null: up to the head. */
  readonly to: Bound | null
  /**
   * Coordinates per commit; slices are cut at its multiples. Null: the run commits when it has enough rows, and the streams of a job have one
   * walk. They share commits if they fill the same tables, and requests if their sources do (`WindowSource.shared`): then without `trailing`,
   * `beyond` and links of records.
   */
  readonly unit: number | null
  /**
   * `compared`: the lake may already hold rows, of this stream or of another, so the run compares them with the lake by key. Default: it
   * holds none.
   */
  readonly rows?: 'compared'
  /**
   * Paths of streams of the network that may hold the same rows, whatever their parameters; the stream's own path may be one. The run
   * compares rows with the lake by key wherever other streams of these paths cover them. It does not commit a slice if they have covered
   * more of it since the run planned it.
   */
  readonly overlapping?: readonly string[]
  /** Streams of these paths that hold every row of this one. The run skips the slices that they cover. */
  readonly within?: readonly Stream[]
  /** Rows in the lake that hold the records, so that the run sends no request for them. Requires `unit: null`. */
  readonly stored?: StoredRecords<R>
  /** The run reads this many coordinates below the covered end again, because rows may appear late. Default: none. */
  readonly trailing?: number
  /**
   * A run also reads this many coordinates beyond the head, and the next run reads them again. Rows may exist there before the head
   * includes them. Default: none.
   */
  readonly beyond?: number
  /** The order of the records: the chain's, which is the same at every node, or the node's own. */
  readonly order: 'chain' | 'node'
  /** The first output is the purpose of the pipeline; the job requested the others. */
  readonly outputs: readonly [RangeOutput<R>, ...RangeOutput<R>[]]
  /** Passed to the functions that read records: plain data. */
  readonly context: unknown
  /** The link that joins the blocks inside consecutive records, from the rows of the first output; null where blocks have no link. */
  readonly linkOf: ((rows: any) => BlockLink) | null
  /** One sentence about missing facts that columns derive from. The run reports it once, when it reads something. */
  readonly notice: string | null
  /** One sentence about the records that were read since the last call; null for none. The run calls it after a walk. */
  readonly afterwards?: () => string | null
}

/** The endpoint of requests: a URL that a job names, or null for the node of the run. */
export type Endpoint = { readonly url: string | null }

/** A WebSocket of an EVM chain with `eth_subscribe`: the URL that the job names, or null for the one that follows from the route of the RPC. */
export type Heads = { readonly route: string; readonly url: string | null }

/** The node that `--node-url` names. */
export const theNode: Endpoint = { url: null }

/**
 * The link from a record to the one before it: its own id and the id of its parent. `parentId` is null where the record names no parent.
 */
export type RecordLink = { readonly id: string; readonly parentId: string | null }

/**
 * The time of a record in microseconds since 1970 UTC, as the chain has it. `unknown`: the source has the record, and nothing says its
 * time; `missing`: the source does not have the record.
 */
export type RecordTime = bigint | 'unknown' | 'missing'

/** Reads records in windows. */
export type WindowSource<R> = {
  /** Number of coordinates to request at once. It may change as answers grow and shrink. */
  windowSize(): number
  /**
   * Exactly the records of `[from, to)`, in order. Throws `windowTooLarge` when the caller must request shorter windows. `turn` is
   * fulfilled when the caller has read all earlier windows. Until then a source that receives its records bit by bit holds only a few of
   * them.
   */
  window(from: number, to: number, signal?: AbortSignal, turn?: Promise<void>): Promise<R[]>
  /** The caller passes the records that it no longer uses. */
  release?(records: readonly R[]): void
  /** What the sources of several streams have in common, so that one request serves them; the same object in each of them. */
  readonly shared?: SharedRequests<R>
}

/**
 * Records at coordinates 0, 1, 2, …: heights, or what else counts them. Each coordinate may have no record, one or several. All records up to
 * the head are final. The adapter sends the requests and checks the answers.
 */
export type RangeSource<R> = WindowSource<R> & {
  /** The last final coordinate; null when there is none yet. */
  head(signal?: AbortSignal): Promise<number | null>
  /** Which head this is: sources of one endpoint with the same text have the same head, so that a plan requests it once. */
  readonly headOf?: string
  /** After a head: what a user should know about it, such as that it stands still; null where there is nothing to say. */
  remark?(): string | null
  /** After a head of null: one sentence that explains it; null when there is nothing to report. */
  whyEmpty?(): string | null
  /**
   * The first coordinate that the source has, with a sentence for the log if earlier ones are missing. A source that has all coordinates
   * from 0 on does not implement it. The run calls it after it has read a head or a window.
   */
  begins?(): { readonly at: number; readonly notice: string | null }
  /** Coordinates per request, where a window takes several requests. Default: one request per window. */
  readonly perRequest?: number
  /**
   * The times of the coordinates `[from, to)`, one for each, so that bounds may be times: they never decrease, or only by seconds. Not
   * implemented where the chain gives records no times. It does not wait for a record that is missing: the run requests it again.
   */
  times?(from: number, to: number, signal?: AbortSignal): Promise<readonly RecordTime[]>
  /** One record by itself, where the source has a request for it. */
  one?(at: number, signal?: AbortSignal): Promise<R>
  /** The link of a record. Not implemented where records have no link. */
  link?(record: R): RecordLink
  /** Coordinate of a record. */
  at(record: R): number
  /** Size of a record in bytes, for the progress display. */
  bytes?(record: R): number
}

/** Sources with the same head that may request windows together. */
type SharedRequests<R> = {
  /** Sources for streams that are missing the same slice, in the order of `sources`. A window of one is a window of all. */
  together(sources: readonly WindowSource<R>[]): readonly WindowSource<R>[]
}

/** A slice of a table that a stream covers. */
type CoveredByStream = { readonly origin: Stream; readonly slice: Slice; readonly ends: SliceEnds | null }

/** Selects rows of a slice that have one of these texts in columns, by column. */
type StoredRowsQuery = Slice & { readonly texts: Readonly<Record<string, readonly string[]>> }

/** Reads rows of a table from the lake, some thousand at a time, in any order. All queries read the same snapshot. */
export type ReadStoredRows = (query: StoredRowsQuery) => AsyncIterable<object[]>

/** Records of a range that other streams may have stored as rows of a table. */
type StoredRecords<R> = {
  readonly table: Table
  /** The column of the table with the coordinates. */
  readonly column: string
  /** Whether the rows of a covered slice hold all records of the range there. */
  readonly isHeld: (covered: CoveredByStream) => boolean
  readonly source: (rows: ReadStoredRows) => Promise<WindowSource<R>>
}
