import type { StreamDeclaration, Table } from '../../define/index.ts'
import type { Connections } from '../connections/connections.ts'
import type { SharedEndpoints } from '../executors/shared-endpoints.ts'
import { declaredStreams } from '../job/declared-streams.ts'
import { type Job, readsService } from '../job/job.ts'
import { hideUrls } from '../units/hidden-urls.ts'
import { withIds } from '../units/own-tables.ts'
import { recordFacts } from '../units/recorded-facts.ts'
import type { JobMessage } from '../units/unit-message.ts'

/** A job with its streams, and with the facts that were requested for them. */
export type StartedJob = { readonly streams: readonly StreamDeclaration[]; readonly message: JobMessage }
export type StartedJobs = ReadonlyMap<Job, StartedJob>

/** Creates the streams of jobs. All jobs are validated before the first response arrives. */
export async function startJobs(
  jobs: readonly Job[],
  connections: Connections,
  { urls }: SharedEndpoints,
): Promise<StartedJobs> {
  // Fails before the first request when a job needs a service that is not configured.
  if (jobs.some(({ pipeline }) => readsService(pipeline))) void connections.facts.service
  const started = await Promise.all(
    jobs.map(async (job) => {
      const { facts, message } = recordFacts(connections.facts)
      const streams = await declaredStreams(job, facts)
      const { name, module, definition } = job.pipeline
      const values = hideUrls(job.values, urls) as JobMessage['values']
      return [
        job,
        { streams, message: { pipeline: name, module, definition, values, facts: message(), ids: {} } },
      ] as const
    }),
  )
  return new Map(started)
}

/** The jobs with the ids that the lake gave to the columns of these tables. */
export function withGivenIds(started: StartedJobs, tables: readonly Table[]): StartedJobs {
  const ids = Object.fromEntries(tables.flatMap((table) => (table.ids === null ? [] : [[table.name, table.ids]])))
  return new Map(
    [...started].map(([job, { streams, message }]) => [
      job,
      { streams: streams.map((stream) => withIds(stream, ids)), message: { ...message, ids } },
    ]),
  )
}
