import type { ChainlakeError } from '../errors.ts'
import { createReach, type Reach } from '../run/connections/reach.ts'
import { createServiceAccounts } from '../run/connections/service-accounts.ts'
import { type Job, type NodeOptions, readsService } from '../run/job/job.ts'
import { createServiceClient, type ServiceClient } from '../sources/service-client.ts'
import type { ServiceProfile } from '../sources/service-profile.ts'
import { checkBucket } from './bucket.ts'
import { type Check, checkOfError } from './check.ts'
import { checkDisk, checkRoom } from './disk.ts'
import { type ExaminedJob, examineJob } from './job.ts'
import { checkFiles, checkRuns, examineLake } from './lake.ts'
import { checkMemory, checkNodeVersion } from './machine.ts'
import { checkNode } from './node.ts'
import { checkService } from './service.ts'

export type Examination = {
  readonly lakeDir: string
  readonly node: NodeOptions
  readonly jobs: readonly Job[]
  /** How the REST service is reached, or why nobody knows; null: no job reads it. */
  readonly service: ServiceProfile | ChainlakeError | null
}

/** Asks no more often than a run that is in a hurry: who waits for what does not come learns nothing. */
const tries = 2
const maxWaitMs = 10_000

/** What a run of the jobs would meet, one thing after the other, the machine first. Nothing is written. */
export async function* examine({ lakeDir, node, jobs, service }: Examination): AsyncGenerator<Check> {
  yield checkNodeVersion()
  yield checkMemory()
  yield* checkDisk(lakeDir)
  const lake = await examineLake(lakeDir)
  yield* lake.checks
  if (lake.place?.kind === 's3') yield* await checkBucket(lake.place)
  const profile = service !== null && 'dataUrl' in service ? service : null
  const common = { tries, maxWaitMs, ...node }
  const reach = createReach({ ...common, ...(profile === null ? {} : { service: profile }), emit: () => undefined })
  const client = profile === null ? null : createServiceClient({ profile, tries: common.tries, maxWaitMs })
  try {
    if (jobs.length === 0 || jobs.some(({ pipeline }) => !readsService(pipeline))) yield* await checkNode(reach, lake)
    if (service !== null && profile === null) yield checkOfError('service', service)
    const examined: ExaminedJob[] = []
    for (const job of jobs) {
      if (readsService(job.pipeline) && profile === null) continue
      const one = await examineJob(job, withClient(reach, profile, client), lake.catalog)
      yield* one.checks
      examined.push(one)
    }
    const hosts = new Set(examined.flatMap((one) => one.hosts))
    if (profile !== null) yield* await checkService(profile, lake.catalog, hosts)
    if (lake.catalog !== null && lake.status !== null) {
      yield* checkRuns(
        lake.status,
        examined.flatMap(({ streams }) => streams),
      )
      yield await checkFiles(lake.catalog, [...new Set(examined.flatMap(({ tables }) => tables))])
    }
    const estimatedBytes = examined.reduce((sum, one) => sum + one.estimatedBytes, 0)
    if (estimatedBytes > 0) yield* checkRoom(estimatedBytes, lakeDir)
  } finally {
    await client?.close()
    await reach.close()
  }
}

/** The service asked without counting units in the lake, which would write there. */
function withClient(reach: Reach, profile: ServiceProfile | null, client: ServiceClient | null): Reach {
  if (profile === null || client === null) return reach
  return { ...reach, facts: reach.facts, service: () => ({ client, accounts: createServiceAccounts(profile) }) }
}
