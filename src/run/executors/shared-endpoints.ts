import { type Cooldown, createCooldown, newSharedCooldown, type SharedCooldown } from '../../fetch/cooldown.ts'
import type { Job } from '../job/job.ts'
import { urlsIn } from '../units/hidden-urls.ts'

/** The endpoints of jobs, and the node. All threads respect the cooldown that an endpoint has requested from any of them. */
export type SharedEndpoints = {
  /** The URLs in the values of the jobs. */
  readonly urls: readonly string[]
  /** The cooldown of each URL, then that of the node. */
  readonly cooldowns: readonly SharedCooldown[]
}

export function endpointsOf(jobs: readonly Pick<Job, 'values'>[]): SharedEndpoints {
  const urls = [...new Set(jobs.flatMap(({ values }) => urlsIn(values)))]
  return { urls, cooldowns: [...urls, null].map(newSharedCooldown) }
}

/** Returns the cooldown of a base URL. A URL that no job names belongs to the node. */
export function cooldownIn({ urls, cooldowns }: SharedEndpoints): (baseUrl: string) => Cooldown {
  return (baseUrl) => createCooldown(cooldowns[urls.indexOf(baseUrl)] ?? cooldowns.at(-1))
}
