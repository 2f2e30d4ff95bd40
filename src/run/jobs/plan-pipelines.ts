import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Covered, lakeExists, type Measure, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { Range, StreamDeclaration } from '../../define/index.ts'
import { runsInThreads } from '../../pipeline-modules/own-pipeline.ts'
import { estimate, missingCount } from '../../plan/units.ts'
import { type Connections, createConnections } from '../connections/connections.ts'
import { threadsFor } from '../executors/thread-count.ts'
import { declaredStreams } from '../job/declared-streams.ts'
import { defaultConcurrency, type Job, type NodeOptions } from '../job/job.ts'
import { estimateBytes } from '../ranges/estimated-bytes.ts'
import { lakeMeasures, lastMeasure, secondsFor } from '../status/last-measure.ts'
import { coveredOf, planRange, type RangeMember, tableNames } from '../units/range-plan.ts'
import { checkJobs } from './check-options.ts'

/** What a run of a job would read of one stream. */
export type JobPlan = {
  readonly pipeline: string
  /** Path of the stream, such as `P/block`. */
  readonly stream: string
  /** The last final coordinate; null when there is none. */
  readonly head: number | null
  /** True when coordinates are block heights less 1. */
  readonly byHeight?: true | undefined
  readonly units: number
  readonly requests: number
  /** Name of a record, such as `container` or `block`. */
  readonly record: string
  /** Number of records to fetch, each counted once. */
  readonly records: number
  /** Number of records that are missing in each table. */
  readonly missing: readonly { readonly table: string; readonly records: number }[]
  /** Estimated bytes of Parquet, from the rows in the lake or, for a new lake, from the mean of known networks. */
  readonly estimatedBytes: number
  /** At the speed of the last run of the job, or of its pipeline; null: neither was ever run on this lake. */
  readonly estimatedSeconds: number | null
}

/**
 * Plans what a run of jobs over ranges would do. Requests only heads and the facts that the streams depend on. Writes nothing, not even a
 * new lake.
 */
export async function planPipelines(
  options: NodeOptions & { readonly lake: LakeLocation; readonly jobs: readonly Job[] },
): Promise<JobPlan[]> {
  checkJobs(options.jobs)
  const connections = createConnections({ ...options, emit: () => undefined })
  try {
    const plans: JobPlan[] = []
    const measures = await lakeMeasures(options.lake)
    for (const job of options.jobs)
      for (const stream of await declaredStreams(job, connections.facts))
        if (stream.walk.kind === 'range')
          plans.push(await planStream(job, { ...stream, walk: stream.walk }, connections, { ...options, measures }))
    return plans
  } finally {
    await connections.close()
  }
}

async function planStream(
  { name: job, pipeline }: Job,
  { stream, tables, walk }: StreamDeclaration<Range>,
  connections: Connections,
  {
    lake,
    threads,
    concurrency = defaultConcurrency,
    measures,
  }: NodeOptions & { readonly lake: LakeLocation; readonly measures: readonly Measure[] },
): Promise<JobPlan> {
  const names = tableNames({ tables })
  const source = await walk.source(connections.connection(walk.endpoint), { underWay: 1 })
  const head = await source.head()
  const covered = await coveredIn(lake, { stream, tables, walk })
  const { plan } = await planRange({ stream, tables, walk, source }, covered, head, {
    threadsFor: (coordinates) => (runsInThreads(pipeline) ? threadsFor({ threads, concurrency }, coordinates) : 1),
  })
  const { units, requests, records } = estimate(plan, source.perRequest ?? source.windowSize())
  return {
    pipeline: pipeline.name,
    stream: stream.path,
    head,
    byHeight: walk.byHeight,
    units,
    requests,
    record: walk.record,
    records,
    missing: names.map((table) => ({ table, records: missingCount(plan, table) })),
    estimatedBytes: estimateBytes(plan, covered.own).bytes,
    estimatedSeconds: secondsFor(records, 'records', lastMeasure(measures, { job, pipeline: pipeline.name })),
  }
}

async function coveredIn(lake: LakeLocation, member: Omit<RangeMember, 'source'>): Promise<Covered> {
  const catalog = (await lakeExists(lake)) ? await openCatalog(lake, declaredTables) : null
  return (await coveredOf(catalog, [member]))(member)
}
