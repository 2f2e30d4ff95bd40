import type { ChainContext, Container, Stream } from '../model.ts'
import type { Connection } from './connection.ts'
import type { Bound } from './parameter.ts'
import type { RangeSource } from './range-source.ts'
import type { StoredRecords } from './stored-records.ts'
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

/** An output that is expensive to read, so that threads read it. They find it by name in the `threads` of its pipeline. */
export type ThreadedOutput<T extends Tables = any> = { readonly tables: T; readonly thread: string }

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
   * Coordinates per commit; slices are cut at its multiples. Null: the run commits when it has enough rows, also of several streams of a
   * job that fill the same tables.
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
  /**
   * The streams of the job share requests (`WindowSource.shared`), and commits if they fill the same tables. Their walks have no `unit`, read
   * no rows again, and their records have no links.
   */
  readonly combined?: true
  /** Streams of these paths that hold every row of this one. The run skips the slices that they cover. */
  readonly within?: readonly Stream[]
  /** Rows in the lake that hold the records, so that the run sends no request for them. Such a walk has no `unit`. */
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
  readonly outputs: readonly [RangeOutput<R>, ...(RangeOutput<R> | ThreadedOutput)[]]
  /** Passed to the functions that read records. It is plain data, because threads get it too. */
  readonly context: unknown
  /** The link that joins the blocks inside consecutive records, from the rows of the first output; null where blocks have no link. */
  readonly linkOf: ((rows: any) => BlockLink) | null
  /** The row of the lake that `linkOf` reads: the name under which `linkOf` gets it, and the key of the row at a coordinate. */
  readonly linkRow?: { readonly name: string; readonly key: (at: number) => object }
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
