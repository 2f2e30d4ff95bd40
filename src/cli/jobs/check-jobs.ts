import type { ServiceSettings } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { settledFacts, unasked } from '../../run/connections/reach.ts'
import { asksLake, isSkipped, type JobRequest, resolveJob } from './resolve-job.ts'

/**
 * Checks the rules over several parameters of each job, and the files of its lists, before anything is asked; gives the jobs
 * with the wrong ones marked as such. Jobs whose lists come from the lake are checked when that is read, but for their network: a
 * wrong name would be that of another part of the lake.
 */
export async function checkedJobs(
  jobs: readonly JobRequest[],
  settings: ServiceSettings | null,
  lakeDir: string,
): Promise<JobRequest[]> {
  return Promise.all(
    jobs.map(async (job): Promise<JobRequest> => {
      try {
        await checkJob(job, settings, lakeDir)
        return job
      } catch (error) {
        if (error instanceof ConfigError) return { kind: 'wrong', name: job.name, error }
        throw error
      }
    }),
  )
}

/** The jobs, all of them right. Throws the `ConfigError` of the first that is not. */
export function allRight(jobs: readonly JobRequest[]): readonly JobRequest[] {
  for (const job of jobs) if (job.kind === 'wrong') throw job.error
  return jobs
}

async function checkJob(job: JobRequest, settings: ServiceSettings | null, lakeDir: string): Promise<void> {
  if (job.kind === 'wrong') return
  const { network } = job.given
  if (typeof network === 'string') settings?.networkInPath(network)
  if (asksLake(job)) return
  const resolved = await resolveJob(job, lakeDir)
  if (isSkipped(resolved)) return
  try {
    await resolved.pipeline.streams(resolved.values, settledFacts(settings))
  } catch (error) {
    // What depends on answers is checked when they are there.
    if (error !== unasked) throw error
  }
}
