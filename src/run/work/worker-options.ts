import type { ServiceProfile } from '../../sources/service-profile.ts'
import type { EmitEvent } from '../job/events.ts'
import type { NodeOptions } from '../job/job.ts'

export type WorkerOptions = NodeOptions & {
  readonly lakeDir: string
  /** How the REST service is reached; needed for tasks that read it. */
  readonly service?: ServiceProfile
  /** URLs that jobs may name. */
  readonly urls: readonly string[]
  /** End when no task waits or is under way. */
  readonly untilDone?: true
  /** Ends what is done as a prefix, and gives the rest back. */
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/** What a worker did with tasks. */
export type WorkerSummary = {
  readonly done: number
  /** Left to others, or to be gone on with later. */
  readonly givenBack: number
  readonly failed: number
  readonly rows: number
}
