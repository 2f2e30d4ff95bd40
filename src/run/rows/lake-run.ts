import type { Catalog } from '../../catalog/catalog.ts'
import type { Question } from '../../define/index.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import type { Part } from '../../model.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import type { Asker } from '../connections/ask.ts'
import type { DecodeThreads } from '../decode-threads/decode-threads.ts'
import type { EmitEvent } from '../job/events.ts'
import type { JobResult, Unanswered } from './job-result.ts'

/** What the jobs of a run share. */
export type LakeRun = {
  readonly catalog: Catalog
  readonly thread: ParquetThread
  readonly decodeThreads: DecodeThreads
  /** Where the data files of the lake lie. */
  readonly store: Store
  readonly runId: string
  /** Counts the parts of the run: their names carry it. */
  readonly nextPart: () => number
  /** Requests under way at once. */
  readonly concurrency: number
  /** A unit is committed early, shorter than planned, when it takes longer than this. */
  readonly commitEveryMs: number
  /** Refuses what the disk has no room for, before it is begun. */
  readonly verifyRoom: (needed: { readonly what: string; readonly bytes: number }) => void
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  /** Called after each commit. */
  readonly afterCommit: () => Promise<void>
  /** Told what a job did before it failed. */
  readonly failed?: (partial: JobResult) => void
}

/** What the streams of a job over lists share. */
export type ServiceRun = LakeRun & {
  readonly client: Asker
  readonly lookup: Lookup
  /** Name of the pipeline. */
  readonly pipeline: string
  /** Told of each field of an answer that no decoder knows. */
  readonly unknownField: (path: string) => void
  /** Told of what has been committed. */
  readonly written: (parts: readonly Part[]) => void
  /** Pages after which what has been read is committed or staged. */
  readonly unitPages: number
  /** Told which keys of the stream have no row so far. */
  readonly unanswered: (keys: Unanswered) => void
  /** Told of every page. */
  readonly page: () => void
  /** Asks how far a source is; once for all streams of the job, so that their ranges end at one place. */
  readonly headOf: (request: Question, decode: (answer: unknown) => number | null) => Promise<number | null>
}
