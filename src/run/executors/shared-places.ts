import { createHold, type Hold, newSharedHold, type SharedHold } from '../../fetch/hold.ts'
import type { Job } from '../job/job.ts'
import { urlsIn } from '../units/hidden-urls.ts'

/** The endpoints of jobs, and the node. All threads respect the cooldown that an endpoint has requested from any of them. */
export type SharedPlaces = {
  /** The URLs in the values of the jobs. */
  readonly urls: readonly string[]
  /** The cooldown of each URL, then that of the node. */
  readonly holds: readonly SharedHold[]
}

export function placesOf(jobs: readonly Pick<Job, 'values'>[]): SharedPlaces {
  const urls = [...new Set(jobs.flatMap(({ values }) => urlsIn(values)))]
  return { urls, holds: [...urls, null].map(newSharedHold) }
}

/** Returns the cooldown of a base URL. A URL that no job names belongs to the node. */
export function holdIn({ urls, holds }: SharedPlaces): (baseUrl: string) => Hold {
  return (baseUrl) => createHold(holds[urls.indexOf(baseUrl)] ?? holds.at(-1))
}
