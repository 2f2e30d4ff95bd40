import type { ChainContext, Container, Stream } from '../model.ts'
import type { RangeSource } from './range-source.ts'
import type { RowOf, Table } from './table.ts'

export type Tables = { readonly [name: string]: Table }
export type RowsOf<T extends Tables> = { [K in keyof T]: RowOf<T[K]>[] }

/** Pure: a record's rows, by table. Throws `DecodeError`, never skips. */
export type ReadRecord<R, T extends Tables = any> = (record: R, context: any) => RowsOf<T>

/** Decoders of containers, as `decode/` has them. */
export type Decode<T extends Tables = any> = (container: Container, context: ChainContext) => RowsOf<T>

/** Tables that one function fills together. */
export type RangeOutput<R = any, T extends Tables = any> = { readonly tables: T; readonly read: ReadRecord<R, T> }

/** An output whose reading costs so much that threads do it; they find it in its pipeline's `threads` by name. */
export type ThreadedOutput<T extends Tables = any> = { readonly tables: T; readonly thread: string }

export type BlockLink = { readonly id: string; readonly parentId: string }

/** A walk over records of any source: heights, indices of containers, blocks by RPC. */
export type Range<R = any> = {
  readonly kind: 'range'
  /** Name of a record for messages, in the singular: `container`, `block`. */
  readonly record: string
  /** The records are blocks from height 1 on, the one of height h at the coordinate h − 1: messages name heights. Absent: coordinates. */
  readonly byHeight?: true
  /** Path of what is read, as errors name it, such as `the node's index P/block`. */
  readonly what: string
  readonly place: Place
  /** Loads and creates the adapter without sending requests; `underWay`: number of concurrent windows. */
  readonly source: (connection: Connection, options: { readonly underWay: number }) => Promise<RangeSource<R>>
  /** First coordinate, inclusive. */
  readonly from: number
  /** Last coordinate, exclusive; null: up to the head. */
  readonly to: number | null
  /**
   * Coordinates per commit; slices are cut at its multiples. Null: a commit holds what gives enough rows, also of several streams of a
   * job that fill the same tables.
   */
  readonly unit: number | null
  /** Whether the lake may hold rows already, of this stream or of another: then they are compared with it by key. Absent: it holds none. */
  readonly rows?: 'compared'
  /**
   * Paths of streams of the network that may hold the same rows, whatever their parameters; its own may be one. Rows of what others of
   * them cover are compared with the lake by key, and nothing is committed of which they have covered more since it was planned.
   */
  readonly beside?: readonly string[]
  /** Of these, streams that hold every row of it: what they cover is left out. */
  readonly within?: readonly Stream[]
  /** Coordinates below the covered end that are read again, for rows that came late. Absent: none. */
  readonly trailing?: number
  /** Coordinates beyond the head that are read too, and again by the next run: rows may be there before the head says so. Absent: none. */
  readonly beyond?: number
  /** Whose order the records have: the chain's, the same at every node, or the node's own. */
  readonly order: 'chain' | 'node'
  /** The first one is what the pipeline is for; the others were asked for. */
  readonly outputs: readonly [RangeOutput<R>, ...(RangeOutput<R> | ThreadedOutput)[]]
  /** Passed to what reads records; plain data, since threads get it too. */
  readonly context: unknown
  /** What joins the blocks inside of consecutive records, from the rows of the first output; null where nothing does. */
  readonly linkOf: ((rows: any) => BlockLink) | null
  /** The row that `linkOf` reads, as the lake has it: by which name it is given, and the key of the row at a coordinate. */
  readonly linkRow?: { readonly name: string; readonly key: (at: number) => object }
  /** A sentence about missing facts that columns derive from; reported once when the run reads something. */
  readonly notice: string | null
}

/** Where requests go: the node of the run, or a URL that a job names. */
export type Place = { readonly url: string | null }

/** The node that `--node-url` names. */
export const theNode: Place = { url: null }

/** The connection of an adapter: a `Transport` of fetch/, which definitions do not import. */
export type Connection = any
