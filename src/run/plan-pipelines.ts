import { tables as declaredTables } from '../../schemas/index.ts'
import { type CoveredSlice, lakeExists, openCatalog } from '../catalog/catalog.ts'
import type { Transport } from '../fetch/transport.ts'
import type { Stream } from '../model.ts'
import { estimate, lackOf, planUnits } from '../plan/units.ts'
import { createIndexApi } from '../sources/index-api.ts'
import type { NetworkIdentity } from '../sources/node-info.ts'
import { type ContainerJob, type NodeOptions, streamOf, tablesOf, wantedSlice } from './job.ts'
import { withNode } from './open-node.ts'
import { readHead } from './read-head.ts'
import { verifySource } from './verify-source.ts'

export type JobPlan = {
  readonly pipeline: string
  /** Path of the stream, such as `P/block`. */
  readonly stream: string
  /** Index of the last accepted container; null when the index is empty. */
  readonly head: number | null
  readonly units: number
  readonly requests: number
  /** Containers to fetch, each counted once. */
  readonly containers: number
  /** Containers that each table lacks. */
  readonly lacking: readonly { readonly table: string; readonly containers: number }[]
  /** Bytes of Parquet, from what the lake holds of these tables or, for a new lake, from the mean of known networks. */
  readonly estimatedBytes: number
  readonly estimatedSeconds: number
}

/** Where a lake says nothing yet: bytes of Parquet per container of a public network, and containers per second. */
const usualBytesPerContainer = 350
const usualContainersPerSecond = 15_000

/** What a run would do. Asks the node for its identity and head only and writes nothing, not even a new lake. */
export async function planPipelines(
  options: NodeOptions & { readonly lakeDir: string; readonly jobs: readonly ContainerJob[] },
): Promise<JobPlan[]> {
  return withNode(
    options,
    () => undefined,
    async ({ transport, identity }) => {
      const plans: JobPlan[] = []
      for (const job of options.jobs) plans.push(await planJob(job, identity, transport, options.lakeDir))
      return plans
    },
  )
}

async function planJob(
  job: ContainerJob,
  identity: NetworkIdentity,
  transport: Transport,
  lakeDir: string,
): Promise<JobPlan> {
  const { pipeline } = job
  const stream = streamOf(job, identity)
  const names = tablesOf(job).map((table) => table.name)
  const api = createIndexApi(transport, stream.path)
  const { newest: head } = await readHead(transport, pipeline.source, stream.path)
  const coverage = await coverageOf(lakeDir, stream, names)
  if (head !== null)
    await verifySource(stream.path, pipeline.source, [...coverage.values()].flat(), head.index, (index) =>
      api.container(index),
    )
  const plan = planUnits({
    stream,
    wanted: wantedSlice(job, head?.index ?? -1),
    unit: job.unit ?? pipeline.walk.unit,
    coverage: new Map([...coverage].map(([table, covered]) => [table, covered.map(({ slice }) => slice)])),
    tables: names,
  })
  const { units, requests, containers } = estimate(plan, api.windowSize())
  return {
    pipeline: pipeline.name,
    stream: stream.path,
    head: head?.index ?? null,
    units,
    requests,
    containers,
    lacking: names.map((table) => ({ table, containers: lackOf(plan, table) })),
    estimatedBytes: containers * (await bytesPerContainer(lakeDir, stream.network, names, coverage)),
    estimatedSeconds: containers / usualContainersPerSecond,
  }
}

async function coverageOf(lakeDir: string, stream: Stream, tables: string[]): Promise<Map<string, CoveredSlice[]>> {
  if (!(await lakeExists(lakeDir))) return new Map(tables.map((table) => [table, []]))
  return (await openCatalog(lakeDir, declaredTables)).coverage(stream, tables)
}

async function bytesPerContainer(
  lakeDir: string,
  network: string,
  tables: string[],
  coverage: ReadonlyMap<string, CoveredSlice[]>,
): Promise<number> {
  const covered = Math.max(
    ...[...coverage.values()].map((slices) => slices.reduce((sum, { slice }) => sum + slice.to - slice.from, 0)),
  )
  if (covered <= 0) return usualBytesPerContainer
  const { tables: held } = await (await openCatalog(lakeDir, declaredTables)).files()
  const bytes = held
    .filter((table) => tables.includes(table.name))
    .flatMap((table) => table.files)
    .filter((file) => file.partition[0] === network)
    .reduce((sum, file) => sum + file.bytes, 0)
  return Math.ceil(bytes / covered)
}
