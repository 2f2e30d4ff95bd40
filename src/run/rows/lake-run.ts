import type { Catalog } from '../../catalog/catalog.ts'
import type { Question, Range, RangeSource, ReadingContext, StreamDeclaration, Tables } from '../../define/index.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import type { Part, Stream } from '../../model.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import type { Asker } from '../connections/connections.ts'
import type { EmitEvent, JobResult, RunEvent } from '../events.ts'

/** What the jobs of a run share. */
export type LakeRun = {
  readonly lakeDir: string
  readonly catalog: Catalog
  readonly thread: ParquetThread
  readonly store: Store
  readonly lookup: Lookup
  readonly runId: string
  /** Counts the parts of the run. File names contain the number. */
  readonly nextPart: () => number
  readonly concurrency: number
  /** The heads of the sources, which are then not requested: a task has a slice up to one that another process has seen. */
  readonly head?: number
  /** A batch that takes longer than this (milliseconds) is committed early, as a shorter batch. */
  readonly commitEveryMs: number
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  readonly afterCommit: () => Promise<void>
}

/** A run as the walks of one job get it. */
export type Run = LakeRun & {
  readonly job: string
  readonly pipeline: string
  /** Called with the files of each commit, and with the number of coordinates that it covers. */
  readonly written: (parts: readonly Part[], coordinates: number) => void
  /** Called with the fields that no column holds, and in how many records or answers each was seen. */
  readonly unknownFields: (seen: Readonly<Record<string, number>>) => void
  readonly client: Asker
  /** Pages after which the rows of a list are committed or staged. */
  readonly unitPages: number
  /** Called with the keys of the stream that have no row so far. */
  readonly unanswered: (keys: NonNullable<JobResult['unanswered']>) => void
  readonly page: () => void
  /** Reports how far a list is. `rows`: those that are not committed yet. */
  readonly progress: (progress: Pick<ProgressEvent, 'done' | 'total' | 'rows' | 'span'>) => void
  /**
   * Requests the head of a source, once for all streams of the job, so that their ranges end at the same coordinate; a second time with
   * `again`.
   */
  readonly headOf: (
    request: Question,
    decode: (answer: unknown) => number | null,
    again?: 'again',
  ) => Promise<number | null>
  /** `Catalog.highest` as of the beginning of the job, which one query answers for all of its streams. */
  readonly highest: Catalog['highest']
}

type ProgressEvent = Extract<RunEvent, { kind: 'progress' }>

export type ListWalk<W> = {
  readonly stream: StreamDeclaration
  readonly walk: W
  readonly run: Run
  readonly context: () => ReadingContext
}

/** A stream with an open source, ready for the walk. */
export type RangeMember<R = any> = {
  readonly stream: Stream
  readonly tables: Tables
  readonly walk: Omit<Range<R>, 'kind' | 'source' | 'endpoint'> & Partial<Pick<Range<R>, 'endpoint'>>
  readonly source: RangeSource<R>
  /** A commit that is not cut by coordinates holds at most this many records. */
  readonly mostRecords?: number
}
