import type { LakeLocation } from '../catalog/place/lake-location.ts'
import type { ChainlakeError } from '../errors.ts'
import { type Connections, createConnections } from '../run/connections/connections.ts'
import { createServiceAccounts } from '../run/connections/service-accounts.ts'
import type { EmitEvent } from '../run/job/events.ts'
import { type Job, type NodeOptions, readsNode, readsService } from '../run/job/job.ts'
import { createServiceClient, type ServiceClient } from '../sources/service/service-client.ts'
import { hostsOf, type ServiceHost } from '../sources/service/service-host.ts'
import type { ServiceProfile } from '../sources/service-profile.ts'
import { type Check, checkOfError } from './check.ts'
import { type ExaminedJob, examineJob } from './job.ts'
import { checkBucket, checkFiles, checkRuns, type ExaminedLake, examineLake } from './lake.ts'
import { checkDisk, checkMemory, checkNodeVersion, checkRoom } from './machine.ts'
import { checkChain, checkHosts, checkNode } from './sources.ts'

type Examination = {
  readonly lake: LakeLocation
  readonly node: NodeOptions
  readonly jobs: readonly Job[]
  /** The profile of the REST service, or the error in it; null: no job reads the service. */
  readonly service: ServiceProfile | ChainlakeError | null
  /** The services of chainlake.yaml that the jobs read. */
  readonly services: readonly ServiceHost[]
  /** Receives the events of requests. Default: they are not reported. */
  readonly emit?: EmitEvent
}

/** Few attempts and short waits: a pre-flight check should not wait long for a source that fails. */
const tries = 2
const maxWaitMs = 10_000

/** Checks what a run of the jobs needs, one thing after the other, beginning with the machine. Writes nothing. */
export async function* examine(examination: Examination): AsyncGenerator<Check> {
  const { lake, node, jobs, service, services, emit = () => undefined } = examination
  yield checkNodeVersion()
  yield checkMemory()
  yield* checkDisk(lake.folder)
  const found = await examineLake(lake)
  yield* found.checks
  if (found.remote !== null) yield* await checkBucket(found.remote)
  const profile = service !== null && 'dataUrl' in service ? service : null
  const common = { tries, maxWaitMs, ...node }
  const connections = createConnections({
    ...common,
    ...(profile === null ? {} : { service: profile }),
    emit,
  })
  const hosts = [...(profile === null ? [] : hostsOf(profile)), ...services]
  const client = createServiceClient({
    hosts,
    tries: common.tries,
    firstContactMs: common.firstContactMs,
    maxWaitMs,
    onRetry: (retry) => emit({ kind: 'retry', ...retry }),
  })
  try {
    if (jobs.length === 0 || jobs.some((job) => readsNode(job.pipeline) && chainUrl(job) === null))
      yield* await checkNode(connections, found)
    for (const url of new Set(jobs.flatMap((job) => chainUrl(job) ?? []))) yield* await checkChain(connections, url)
    if (service !== null && profile === null) yield checkOfError('service', service)
    const examined: ExaminedJob[] = []
    for (const job of jobs) {
      if (readsService(job.pipeline) && profile === null) continue
      const one = await examineJob(job, withClient(connections, hosts, client), found.catalog)
      yield* one.checks
      examined.push(one)
    }
    const read = new Set(examined.flatMap((one) => one.hosts))
    yield* await checkHosts(
      hosts.filter(({ name }) => read.has(name)),
      found.catalog,
    )
    yield* checkTogether(examined, found, lake.folder)
  } finally {
    await client.close()
    await connections.close()
  }
}

/** The URL of the EVM chain that a job reads; null if it reads a chain of the node, or none. */
function chainUrl({ values }: Job): string | null {
  const { chain } = values
  return typeof chain === 'string' && /^https?:/.test(chain) ? chain : null
}

/** Checks that concern all jobs together: other runs, files, and free space. */
async function* checkTogether(
  examined: readonly ExaminedJob[],
  { catalog, status }: ExaminedLake,
  lakeDir: string,
): AsyncGenerator<Check> {
  if (catalog !== null && status !== null) {
    const streams = examined.flatMap((one) => one.streams)
    yield* checkRuns(status, streams)
    yield await checkFiles(catalog, [...new Set(examined.flatMap(({ tables }) => tables))])
  }
  const estimatedBytes = examined.reduce((sum, one) => sum + one.estimatedBytes, 0)
  if (estimatedBytes > 0) yield* checkRoom(estimatedBytes, lakeDir)
}

/** Connections to hosts that do not count units, since counting them writes to the lake. */
function withClient(connections: Connections, hosts: readonly ServiceHost[], client: ServiceClient): Connections {
  return {
    ...connections,
    facts: connections.facts,
    service: () => ({ client, accounts: createServiceAccounts(hosts) }),
  }
}
