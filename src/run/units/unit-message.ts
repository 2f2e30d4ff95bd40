import type { ColumnIds, NetworkIdentity } from '../../define/index.ts'
import type { Part, Slice, SliceEnds, Stream } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'

/**
 * A unit of a range over containers, heights or blocks as a plain message. It contains everything that its executor needs, and no secrets:
 * `HiddenUrl` replaces URLs, and a thread receives the URLs when it starts.
 */
export type UnitMessage = {
  readonly job: JobMessage
  /** The stream of the job. */
  readonly stream: Stream
  readonly slice: Slice
  /** The tables that do not cover the slice yet. */
  readonly tables: readonly string[]
  /** Part of the file names. */
  readonly runId: string
  /** Whether the slice begins where another unit of the walk ends. The thread that commits then compares their blocks. */
  readonly followsUnit: boolean
}

/** Everything to recreate the streams of a job elsewhere: the name of the pipeline, the values of its parameters, the facts. */
export type JobMessage = PipelineName & {
  readonly values: Readonly<Record<string, unknown>>
  readonly facts: FactsMessage
  /** The ids that the lake gave to the columns of own tables. */
  readonly ids: GivenIds
}

/** Ids of columns by table name. */
export type GivenIds = Readonly<Record<string, ColumnIds>>

/** The facts that the streams of a job have requested. */
export type FactsMessage = {
  /** Null when the identity of the node was not requested. */
  readonly node: NetworkIdentity | null
  /** The responses of endpoints, in the order of the requests. */
  readonly answers: readonly unknown[]
}

/** Replaces a URL, which may contain a key, by its position in a list that only threads have. */
export type HiddenUrl = { readonly url: number }

/** A written chunk of a unit: the whole unit, or the part after the previous chunk. */
export type UnitChunk = {
  readonly slice: Slice
  readonly ends: SliceEnds | null
  readonly blockEnds: SliceEnds | null
  readonly parts: readonly Part[]
  readonly rows: number
  /** The chunk ended early because a commit was due: it must not wait for earlier units. */
  readonly isDue: boolean
}

/** The size of the windows that the executor has read. */
export type ReadingProgress = {
  /** Number of coordinates. */
  readonly length: number
  readonly bytes: number
  readonly rows: number
  /** In how many records each field was seen that no column holds; absent if there was none. */
  readonly unknownFields?: Readonly<Record<string, number>>
}
