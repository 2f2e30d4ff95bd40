import type { ServiceSettings } from '../define/index.ts'
import { asksLake, type JobRequest, resolveServiceJob } from './resolve-job.ts'

/**
 * Checks the rules over several parameters of each service job, and the files of its lists, before anything is asked. Jobs whose
 * lists come from the lake are checked when that is read, but for their network: a wrong name would be that of another part of the
 * lake. Throws `ConfigError`.
 */
export async function checkJobs(
  jobs: readonly JobRequest[],
  settings: ServiceSettings,
  lakeDir: string,
): Promise<void> {
  for (const job of jobs) {
    if (job.kind !== 'service') continue
    const { network } = job.given
    if (typeof network === 'string') settings.networkInPath(network)
    if (asksLake(job)) continue
    const resolved = await resolveServiceJob(job, lakeDir)
    if (resolved.kind === 'service') resolved.pipeline.streams(resolved.values, settings)
  }
}
