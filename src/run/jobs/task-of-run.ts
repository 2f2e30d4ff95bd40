import type { InSameTransaction } from '../../catalog/catalog.ts'
import { streamId } from '../../model.ts'
import type { StartedJobs } from './start-jobs.ts'

/** A task of a worker that an ordinary run does: some streams of a job, whole. */
export type TaskOfRun = {
  readonly id: string
  /** Ids of the streams. */
  readonly streams: ReadonlySet<string>
  /** What is part of each transaction: whether the task is still this worker's. */
  readonly inSameTransaction: InSameTransaction
}

/** Of the jobs what the task is about; all of them where there is none. */
export function ofTask(task: TaskOfRun | undefined, started: StartedJobs): StartedJobs {
  if (task === undefined) return started
  return new Map(
    [...started].map(([job, each]) => {
      const streams = each.streams.filter(({ stream }) => task.streams.has(streamId(stream)))
      return [job, { ...each, streams }]
    }),
  )
}

/** A run of the same task that still lives has lost it: the streams are taken from it. */
export function taskCommand(task: TaskOfRun | undefined): { command: string; takesOver: true } | Record<string, never> {
  return task === undefined ? {} : { command: `worker, task ${task.id}`, takesOver: true }
}
