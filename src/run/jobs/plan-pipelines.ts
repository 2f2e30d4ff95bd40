import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, lakeExists, type Measure, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import type { Slice } from '../../model.ts'
import { runsInThreads } from '../../pipeline-modules/find-pipeline.ts'
import { estimate, missingCount, subtract } from '../../plan/intervals.ts'
import { type Connections, createConnections } from '../connections/connections.ts'
import type { EmitEvent } from '../events.ts'
import { declaredStreams, defaultConcurrency, type Job, type NodeOptions } from '../job.ts'
import {
  coveredOf,
  createHeads,
  createHeldFinder,
  estimateBytes,
  openMember,
  planRange,
  tableNames,
  threadsFor,
  timeBoundText,
} from '../ranges/plan-slices.ts'
import { lastMeasure, secondsFor } from '../status/lake-status.ts'
import { checkJobs, isRecords, verifyChains } from './start-jobs.ts'

/** What a run of a job would read of one stream. */
export type JobPlan = {
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly job: string
  readonly pipeline: string
  /** Path of the stream, such as `P/block`. */
  readonly stream: string
  /** The last final coordinate; null when there is none. */
  readonly head: number | null
  readonly units: number
  readonly requests: number
  /** Name of a record, such as `container` or `block`. */
  readonly record: string
  /** Number of records to fetch, each counted once. */
  readonly records: number
  /** The bounds of the job that are times, with the records that they mean. */
  readonly times: readonly PlannedTime[]
  /** What a user should know about the head, such as that it stands still; null where there is nothing to say. */
  readonly remark: string | null
  /** Number of records that are missing in each table. */
  readonly missing: readonly { readonly table: string; readonly records: number }[]
  /** Estimated bytes of Parquet, from the rows in the lake or, for a new lake, from the mean of known networks. */
  readonly estimatedBytes: number
  /** At the speed of the last run of the job, or of its pipeline; null: neither was ever run on this lake. */
  readonly estimatedSeconds: number | null
}

type PlannedTime = {
  /** As the job gives it. */
  readonly time: string
  /** Coordinate of the first record at or after it; null while there is none. */
  readonly record: number | null
  /** The same for people, with the time of that record. */
  readonly text: string
}

/**
 * Plans what a run of jobs over ranges would do. Requests only heads, the facts that the streams depend on, and the blocks of bounds that are
 * times. Writes nothing, not even a new lake.
 */
export async function planPipelines(
  options: NodeOptions & { readonly lake: LakeLocation; readonly jobs: readonly Job[]; readonly emit?: EmitEvent },
): Promise<JobPlan[]> {
  const { lake, jobs, emit = () => undefined } = options
  checkJobs(jobs)
  const connections = createConnections({ ...options, emit })
  try {
    const catalog = (await lakeExists(lake)) ? await openCatalog(lake, declaredTables) : null
    const measures = (await catalog?.measures()) ?? []
    const plans: JobPlan[] = []
    const headOf = createHeads()
    for (const job of jobs)
      plans.push(...(await planJob(job, connections, { ...options, emit, catalog, measures, headOf })))
    return plans
  } finally {
    await connections.close()
  }
}

type PlanOptions = NodeOptions & {
  readonly catalog: Catalog | null
  readonly emit: EmitEvent
  readonly measures: readonly Measure[]
  readonly headOf: ReturnType<typeof createHeads>
}

async function planJob(job: Job, connections: Connections, options: PlanOptions): Promise<JobPlan[]> {
  const { catalog, threads, concurrency = defaultConcurrency, measures, headOf, emit } = options
  const streams = await declaredStreams(job, connections.facts)
  if (catalog !== null) await verifyChains(streams, { catalog, connections, emit, isPlan: true })
  const members = await Promise.all(
    streams.filter(isRecords).map((stream) => openMember(stream, connections.connection, 1)),
  )
  const covered = await coveredOf(catalog, members)
  const heldOf = createHeldFinder(catalog)
  const measure = lastMeasure(measures, { job: job.name, pipeline: job.pipeline.name })
  /** What earlier streams request for those that share their requests. */
  const requested = new Map<unknown, Slice[]>()
  const plans: JobPlan[] = []
  for (const member of members) {
    const { stream, walk, source } = member
    const origin = source.shared ?? source
    const { at: head, remark } = await headOf(member)
    const own = covered(member)
    const { plan, times } = await planRange(member, own, head, {
      threadsFor: (coordinates) =>
        runsInThreads(job.pipeline) ? threadsFor({ threads, concurrency }, coordinates) : 1,
    })
    const { units, records } = estimate(plan, 1)
    const shared = requested.get(origin) ?? []
    const others = [...shared, ...((await heldOf(member))?.slices ?? [])]
    const missing = plan.missing.flatMap(({ slice, tables }) =>
      subtract([slice], others).map((own) => ({ slice: own, tables })),
    )
    requested.set(origin, [...shared, ...missing.map(({ slice }) => slice)])
    plans.push({
      job: job.name,
      pipeline: job.pipeline.name,
      stream: stream.path,
      head,
      units,
      requests: estimate({ ...plan, missing }, source.perRequest ?? source.windowSize()).requests,
      record: walk.record,
      records,
      remark,
      times: times.map((one) => ({
        time: one.time,
        record: one.found?.at ?? null,
        text: timeBoundText(walk, one),
      })),
      missing: tableNames(member).map((table) => ({ table, records: missingCount(plan, table) })),
      estimatedBytes: estimateBytes(plan, own.own, walk).bytes,
      estimatedSeconds: secondsFor(records, 'records', measure),
    })
  }
  return plans
}
