import { streamId } from '../../model.ts'
import { runPipelines } from '../jobs/run-pipelines.ts'
import type { JobResult } from '../rows/job-result.ts'
import { revealUrls } from '../units/hidden-urls.ts'
import type { Queue, TakenTask } from './queue.ts'
import { urlsOf } from './task.ts'
import { taskPipeline } from './task-pipeline.ts'
import type { WorkerOptions } from './worker-options.ts'

/** Reads complete streams, as a run of their job does. The next attempt resumes from the last commit. */
export async function doStreams(
  { attempt, task }: TakenTask,
  queue: Queue,
  { untilDone: _, urls: known, pipelines = [], ...options }: WorkerOptions,
): Promise<JobResult> {
  const { values } = task.message
  const pipeline = taskPipeline(task.message, pipelines)
  const { jobs } = await runPipelines({
    ...options,
    jobs: [{ name: task.job, pipeline, values: revealUrls(values, urlsOf(task, known)) as typeof values }],
    task: {
      id: attempt.id,
      streams: new Map(task.streams.map((stream, at) => [streamId(stream), task.bounds?.[at] ?? null])),
      inSameTransaction: (execute) => queue.beatWithin(execute, attempt),
    },
  })
  const [result] = jobs
  if (result === undefined) throw options.stop.reason
  return result
}
