import type { InSameTransaction } from '../../catalog/catalog.ts'
import type { Range } from '../../define/index.ts'
import { streamId } from '../../model.ts'
import type { StartedJobs } from './start-jobs.ts'
import { isRecords } from './stream-groups.ts'

/** A task of a worker that is done by an ordinary run: complete streams of a job. */
export type TaskOfRun = {
  readonly id: string
  /** Ids of the streams, each with the bounds of its range that replace those of the job; null for none. */
  readonly streams: ReadonlyMap<string, Pick<Range, 'from' | 'to'> | null>
  /** Part of each transaction: checks that the task still belongs to this worker. */
  readonly inSameTransaction: InSameTransaction
}

/** The streams of the task; all streams without a task. */
export function ofTask(task: TaskOfRun | undefined, started: StartedJobs): StartedJobs {
  if (task === undefined) return started
  return new Map(
    [...started].map(([job, each]) => {
      const streams = each.streams.flatMap((one) => {
        const bounds = task.streams.get(streamId(one.stream))
        if (bounds === undefined) return []
        return bounds === null || !isRecords(one) ? one : { ...one, walk: { ...one.walk, ...bounds } }
      })
      return [job, { ...each, streams }]
    }),
  )
}

/** The command of a run of a task. It takes the streams from an earlier run of the same task that is still alive. */
export function taskCommand(task: TaskOfRun | undefined): { command: string; takesOver: true } | Record<string, never> {
  return task === undefined ? {} : { command: `worker, task ${task.id}`, takesOver: true }
}
