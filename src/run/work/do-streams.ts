import { pipelines } from '../../../pipelines/index.ts'
import { shippedLists } from '../../config/shipped-lists.ts'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { streamId } from '../../model.ts'
import { compileLists } from '../../yaml-lists/compile-lists.ts'
import { runPipelines } from '../jobs/run-pipelines.ts'
import type { JobResult } from '../rows/job-result.ts'
import { revealUrls } from '../units/hidden-urls.ts'
import type { JobMessage } from '../units/unit-message.ts'
import type { Queue, TakenTask } from './queue.ts'
import { urlsOf } from './task.ts'
import type { WorkerOptions } from './worker-options.ts'

/** Reads complete streams, as a run of their job does. The next attempt resumes from the last commit. */
export async function doStreams(
  { attempt, task }: TakenTask,
  queue: Queue,
  { untilDone: _, urls: known, ...options }: WorkerOptions,
): Promise<JobResult> {
  const { values } = task.message
  const pipeline = pipelineOf(task.message)
  const { jobs } = await runPipelines({
    ...options,
    jobs: [{ name: task.job, pipeline, values: revealUrls(values, urlsOf(task, known)) as typeof values }],
    task: {
      id: attempt.id,
      streams: new Set(task.streams.map(streamId)),
      inSameTransaction: (execute) => queue.beatWithin(execute, attempt),
    },
  })
  const [result] = jobs
  if (result === undefined) throw options.stop.reason
  return result
}

/** The pipeline of a task: one of chainlake, or a list, which travels with the task as data. */
function pipelineOf({ pipeline: name, definition }: JobMessage): Pipeline {
  const known = [...pipelines, ...shippedLists()].find((each) => each.name === name)
  const found = known ?? (definition === undefined ? undefined : listOf(name, definition))
  if (found !== undefined) return found
  throw new ConfigError(`This worker does not know the pipeline ${name}.`, {
    code: definition === undefined ? 'work.pipeline' : 'work.definition',
    hint: 'Workers and the command that queues tasks need the same version of chainlake.',
  })
}

function listOf(name: string, definition: object): Pipeline | undefined {
  return compileLists({ [name]: definition })[0]
}
