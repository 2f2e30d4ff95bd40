import type { ServiceStream } from '../define/index.ts'
import { type Stream, streamId } from '../model.ts'
import { createServiceClient, type ServiceClient } from '../sources/service-client.ts'
import { type ServiceProfile, serviceSettings } from '../sources/service-profile.ts'
import { createDailyBudgets, type DailyBudgets } from './daily-budget.ts'
import { longWaitEvent } from './events.ts'
import { defaultConcurrency, type ServiceJob } from './job.ts'
import type { RunOptions } from './run-pipelines.ts'

export type OpenService = {
  readonly client: ServiceClient
  readonly budgets: DailyBudgets
  /** Streams of all jobs, each once. */
  readonly streams: () => Stream[]
  readonly streamsOf: (job: ServiceJob) => readonly ServiceStream[]
}

/**
 * Derives the streams of the jobs, which checks their parameters before anything is asked, passes `use` what the jobs need, and
 * closes the connections afterwards.
 */
export async function withService<T>(
  options: RunOptions,
  profile: ServiceProfile,
  jobs: readonly ServiceJob[],
  use: (service: OpenService) => Promise<T>,
): Promise<T> {
  const { concurrency = defaultConcurrency, requestTimeoutMs, tries, maxWaitMs, emit } = options
  const settings = serviceSettings(profile)
  const streams = new Map(jobs.map((job) => [job, job.pipeline.streams(job.values, settings)]))
  const budgets = createDailyBudgets(profile)
  const client = createServiceClient({
    profile,
    budgets: budgets.hosts,
    concurrency,
    ...(requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    onRetry: (retry) => emit({ kind: 'retry', ...retry }),
    onLongWait: (wait) => emit(longWaitEvent(wait)),
  })
  try {
    return await use({
      client,
      budgets,
      streams: () => [
        ...new Map([...streams.values()].flat().map(({ stream }) => [streamId(stream), stream])).values(),
      ],
      streamsOf: (job) => streams.get(job) ?? [],
    })
  } finally {
    await client.close()
  }
}
