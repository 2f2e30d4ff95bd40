import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { ServiceHost } from '../../sources/service/service-host.ts'
import type { ServiceProfile } from '../../sources/service-profile.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import type { EmitEvent } from '../job/events.ts'
import type { Job, NodeOptions } from '../job/job.ts'
import type { JobResult } from '../rows/job-result.ts'
import type { BusyJob } from './start-free.ts'
import type { TaskOfRun } from './task-of-run.ts'

/** The jobs of a run, their sources and their lake. */
export type RunOptions = NodeOptions & {
  readonly lake: LakeLocation
  readonly jobs: readonly Job[]
  /** Connection settings of the REST service. Required for jobs that read it. */
  readonly service?: ServiceProfile
  /** Services that chainlake.yaml declares and jobs read. */
  readonly services?: readonly ServiceHost[]
  /**
   * Follow the chain until `stop` is aborted, with a commit at least this often (milliseconds). 0: commit each block as soon as possible, and
   * listen to new blocks by WebSocket where a chain has one.
   */
  readonly follow?: { readonly maxLagMs: number }
  /** Merge small files while following, and at the end. */
  readonly compact?: true
  /** Expire snapshots that are older than this (milliseconds) while following, and at the end. */
  readonly expireMs?: number
  /** Drop columns that own tables no longer declare; earlier files keep their values. Otherwise such a run is refused. */
  readonly dropsColumns?: true
  /** A thread that consecutive runs share, because starting one is slow. The caller closes it. */
  readonly thread?: ParquetThread
  /** The run is a task of a worker: it reads some streams of its job, and the worker publishes them. */
  readonly task?: TaskOfRun
  /** Called at the start with the names of jobs that are skipped because other runs hold their streams. Default: a warning. */
  readonly leave?: (names: ReadonlySet<string>) => void
  /** Ends the run early; the contiguous prefix is committed. */
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/** What a run has done. */
export type RunSummary = {
  readonly runId: string
  /** The networks of the jobs, separated by commas. */
  readonly network: string
  readonly jobs: readonly JobResult[]
  /** Jobs that were skipped because other runs hold their streams. */
  readonly busy: readonly BusyJob[]
  /** Names of jobs that `stop` ended, or prevented from starting, and that may have more to do. */
  readonly unfinished: readonly string[]
  /** True when `stop` ended the run. */
  readonly stopped: boolean
  /** When the first postponed job can resume, and why it is postponed. Null when no job is postponed. */
  readonly resumeAt: string | null
  readonly reason: string | null
}
