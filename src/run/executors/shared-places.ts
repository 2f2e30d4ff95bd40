import { createHold, type Hold, newSharedHold, type SharedHold } from '../../fetch/hold.ts'
import type { Job } from '../job/job.ts'
import { urlsIn } from '../units/hidden-urls.ts'

/** The places that jobs name, and the node: whoever asks one waits for what it asked others to wait for. */
export type SharedPlaces = {
  /** Of the values of the jobs. */
  readonly urls: readonly string[]
  /** Of each URL, and at last that of the node. */
  readonly holds: readonly SharedHold[]
}

export function placesOf(jobs: readonly Pick<Job, 'values'>[]): SharedPlaces {
  const urls = [...new Set(jobs.flatMap(({ values }) => urlsIn(values)))]
  return { urls, holds: [...urls, null].map(newSharedHold) }
}

/** The hold of a base URL: any that no job names is the node's. */
export function holdIn({ urls, holds }: SharedPlaces): (baseUrl: string) => Hold {
  return (baseUrl) => createHold(holds[urls.indexOf(baseUrl)] ?? holds.at(-1))
}
