import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { Pipeline } from '../../define/index.ts'
import type { ServiceHost } from '../../sources/service/service-host.ts'
import type { ServiceProfile } from '../../sources/service-profile.ts'
import type { EmitEvent } from '../job/events.ts'
import type { NodeOptions } from '../job/job.ts'

export type WorkerOptions = NodeOptions & {
  readonly lake: LakeLocation
  /** Connection settings of the REST service. Required for tasks that read it. */
  readonly service?: ServiceProfile
  /** Services of chainlake.yaml that tasks may read. */
  readonly services?: readonly ServiceHost[]
  /** The pipelines of modules that tasks may name. */
  readonly pipelines?: readonly Pipeline[]
  /** URLs that jobs may name. */
  readonly urls: readonly string[]
  /** End when no task waits or is in progress. */
  readonly untilDone?: true
  /** Commits the complete prefix of the current task and returns the rest to the queue. */
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/** Numbers of tasks by outcome, and of rows. */
export type WorkerSummary = {
  readonly done: number
  /** Tasks returned to the queue, for other workers or for later. */
  readonly givenBack: number
  readonly failed: number
  readonly rows: number
}
