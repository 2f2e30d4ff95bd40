import type { Catalog } from '../../catalog/catalog.ts'
import type { Question } from '../../define/index.ts'
import { type Lookup, openLookup } from '../../lookup/lookup.ts'
import type { Part, Stream } from '../../model.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import type { Asker } from '../connections/ask.ts'
import type { DecodeThreads } from '../decode-threads/decode-threads.ts'
import { aboveFloor, verifyRoom } from '../job/disk-space.ts'
import type { EmitEvent } from '../job/events.ts'
import { defaultConcurrency } from '../job/job.ts'
import type { JobResult, Unanswered } from './job-result.ts'

/** What the jobs of a run share. */
export type LakeRun = {
  /** The folder of the lake. */
  readonly lakeDir: string
  readonly catalog: Catalog
  readonly thread: ParquetThread
  readonly decodeThreads: DecodeThreads
  /** The store of the lake's data files. */
  readonly store: Store
  readonly lookup: Lookup
  readonly runId: string
  /** Counts the parts of the run. File names contain the number. */
  readonly nextPart: () => number
  /** Maximum number of concurrent requests. */
  readonly concurrency: number
  /** A unit that takes longer than this (milliseconds) is committed early, as a shorter unit. */
  readonly commitEveryMs: number
  /** Throws when the disk does not have enough space, before the work begins. */
  readonly verifyRoom: (needed: { readonly what: string; readonly bytes: number }) => void
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  /** Called after each commit. */
  readonly afterCommit: () => Promise<void>
  /** Called with the partial result of a job that failed. */
  readonly failed?: (partial: JobResult) => void
  /** Called when no later round of the job can find more: its ranges have ends, which it has reached. */
  readonly over?: () => void
  /** Called with a stream that the lake covers beyond the head of its source. */
  readonly behind?: (stream: Stream) => void
}

type LakeRunOptions = Pick<LakeRun, 'lakeDir' | 'catalog' | 'thread' | 'decodeThreads' | 'runId' | 'stop' | 'emit'> & {
  /** Default: `defaultConcurrency`. */
  readonly concurrency?: number | undefined
  /** Maximum age of uncommitted data while following, in milliseconds. */
  readonly maxLagMs?: number | undefined
  /** Default: nothing happens after a commit. */
  readonly afterCommit?: () => Promise<void>
}

/** A run that may share the counter of its parts with threads. */
type OpenLakeRun = LakeRun & { readonly partCount: Int32Array<SharedArrayBuffer> }

/** A unit is committed as it is when it takes longer than this. */
const usualCommitEveryMs = 5 * 60_000

/** Opens a lake for a run that the catalog knows. The caller closes `lookup`, and the threads that it passes. */
export function openLakeRun({ lakeDir, concurrency, maxLagMs, afterCommit, ...shared }: LakeRunOptions): OpenLakeRun {
  const { catalog, runId } = shared
  const store = aboveFloor(catalog.store, lakeDir)
  const partCount = new Int32Array(new SharedArrayBuffer(4))
  return {
    ...shared,
    lakeDir,
    store,
    lookup: openLookup(lakeDir, runId, store),
    partCount,
    nextPart: () => Atomics.add(partCount, 0, 1),
    concurrency: concurrency ?? defaultConcurrency,
    commitEveryMs: Math.min(usualCommitEveryMs, maxLagMs ?? usualCommitEveryMs),
    verifyRoom: (needed) => verifyRoom(lakeDir, needed),
    afterCommit: afterCommit ?? (async () => undefined),
  }
}

/** What the streams of a job over lists share. */
export type ListRun = LakeRun & {
  readonly client: Asker
  /** Name of the pipeline. */
  readonly pipeline: string
  /** Called with the path of each field that no decoder knows. */
  readonly unknownField: (path: string) => void
  /** Called with the parts of each commit. */
  readonly written: (parts: readonly Part[]) => void
  /** Pages after which the rows are committed or staged. */
  readonly unitPages: number
  /** Called with the keys of the stream that have no row so far. */
  readonly unanswered: (keys: Unanswered) => void
  /** Called for every page. */
  readonly page: () => void
  /**
   * Requests the head of a source, once for all streams of the job, so that their ranges end at the same coordinate; a second time with
   * `again`.
   */
  readonly headOf: (
    request: Question,
    decode: (answer: unknown) => number | null,
    again?: 'again',
  ) => Promise<number | null>
  /** `Catalog.highest` as of the beginning of the job, which asks once for all of its streams. */
  readonly highest: Catalog['highest']
}
