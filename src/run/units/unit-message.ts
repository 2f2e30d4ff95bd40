import type { NetworkIdentity } from '../../define/index.ts'
import type { Part, Slice, SliceEnds, Stream } from '../../model.ts'

/**
 * A unit of a range over containers, heights or blocks as a plain message: all that whoever does it must know, and nothing that is
 * secret. What stands for a URL is `HiddenUrl`; the URLs themselves are given to a thread when it starts.
 */
export type UnitMessage = {
  readonly job: JobMessage
  /** Which of the streams of the job. */
  readonly stream: Stream
  readonly slice: Slice
  /** The tables that lack the slice. */
  readonly tables: readonly string[]
  /** Part of the names of the files. */
  readonly runId: string
  /** Whether the slice goes on where another unit of the walk ends: then who commits compares their blocks. */
  readonly goesOn: boolean
}

/** What makes the streams of a job again, elsewhere: its pipeline by name, the values of its parameters, the facts. */
export type JobMessage = {
  readonly pipeline: string
  readonly values: Readonly<Record<string, unknown>>
  readonly facts: FactsMessage
}

/** What the streams of a job asked for, and got. */
export type FactsMessage = {
  /** Null when nobody asked who the node is. */
  readonly node: NetworkIdentity | null
  /** What places answered, in the order of the questions. */
  readonly answers: readonly unknown[]
}

/** Stands for a URL, which may hold a key, by its place in a list that only threads have. */
export type HiddenUrl = { readonly url: number }

/** What was read and written of a unit: all of it, or as much as follows what was told of it before. */
export type UnitPiece = {
  readonly slice: Slice
  readonly ends: SliceEnds | null
  readonly blockEnds: SliceEnds | null
  readonly parts: readonly Part[]
  readonly rows: number
  /** It ends early since it was time to commit: it is not to wait for others. */
  readonly isDue: boolean
}

/** Windows that were read. */
export type ReadingProgress = {
  /** Coordinates. */
  readonly length: number
  readonly bytes: number
  readonly rows: number
}
