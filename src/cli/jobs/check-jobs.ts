import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { ServiceSettings } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { settledFacts, unasked } from '../../run/connections/connections.ts'
import { declaredStreams } from '../../run/job/declared-streams.ts'
import { isSkipped, type JobRequest, queriesLake, resolveJob } from './resolve-job.ts'

/**
 * Checks each job before any request is sent: rules that concern several parameters, and the files of lists. Returns the jobs and marks
 * the wrong ones. A list that a query on the lake gives is checked later, when the query runs. The network is always checked, since a
 * wrong name would select another part of the lake.
 */
export async function checkedJobs(
  jobs: readonly JobRequest[],
  settings: ServiceSettings | null,
  lake: LakeLocation,
): Promise<JobRequest[]> {
  return Promise.all(
    jobs.map(async (job): Promise<JobRequest> => {
      try {
        await checkJob(job, settings, lake)
        return job
      } catch (error) {
        if (error instanceof ConfigError) return { kind: 'wrong', name: job.name, error }
        throw error
      }
    }),
  )
}

/** The jobs, when all are right. Throws the `ConfigError` of the first wrong one. */
export function allRight(jobs: readonly JobRequest[]): readonly JobRequest[] {
  for (const job of jobs) if (job.kind === 'wrong') throw job.error
  return jobs
}

async function checkJob(job: JobRequest, settings: ServiceSettings | null, lake: LakeLocation): Promise<void> {
  if (job.kind === 'wrong') return
  const { network } = job.given
  if (typeof network === 'string') settings?.networkInPath(network)
  if (queriesLake(job)) return
  const resolved = await resolveJob(job, lake)
  if (isSkipped(resolved)) return
  try {
    await declaredStreams(resolved, settledFacts(settings))
  } catch (error) {
    // Rules that depend on answers of a source are checked in the run.
    if (error !== unasked) throw error
  }
}
