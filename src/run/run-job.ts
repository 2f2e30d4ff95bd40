import { PostponedError } from '../errors.ts'
import type { Transport } from '../fetch/transport.ts'
import type { Part } from '../model.ts'
import { estimate, planUnits, unitsOf } from '../plan/units.ts'
import { createIndexApi } from '../sources/index-api.ts'
import type { NetworkIdentity } from '../sources/node-info.ts'
import { chainContext } from './chain-context.ts'
import { walkContainerRange } from './container-range.ts'
import { type ContainerJob, chainOf, streamOf, tablesOf, wantedSlice } from './job.ts'
import { type LakeRun, type TableResult, tableResult } from './lake-run.ts'
import { type Postponement, postponementOf } from './postponement.ts'
import { readHead } from './read-head.ts'
import { verifySource } from './verify-source.ts'

export type ContainerJobResult = {
  readonly kind: 'containers'
  readonly pipeline: string
  /** Path of the stream, such as `P/block`. */
  readonly stream: string
  /** Index of the last accepted container; null when the index is empty. */
  readonly head: number | null
  readonly containers: number
  readonly units: number
  readonly tables: readonly TableResult[]
  readonly seconds: number
  /** True when there was nothing to fetch. */
  readonly upToDate: boolean
  /** What keeps it from going on now; null when it was done or stopped. */
  readonly postponed: Postponement | null
}

export type JobRun = LakeRun & { readonly transport: Transport; readonly identity: NetworkIdentity }

/**
 * One round of a job: from what the lake lacks to the last accepted container. When `stop` is aborted, what is contiguous
 * is committed; before there is any, the reason of `stop` is thrown.
 */
export async function runJob(job: ContainerJob, run: JobRun): Promise<ContainerJobResult> {
  const { pipeline } = job
  const { catalog, identity, emit, stop } = run
  const startedMs = performance.now()
  const stream = streamOf(job, identity)
  const tables = tablesOf(job).map((table) => table.name)
  const ahead = run.concurrency + 1
  const api = createIndexApi(run.transport, stream.path, { underWay: ahead })
  const written: Part[] = []
  let head: number | null = null
  let containers = 0
  let units = 0
  const result = (upToDate: boolean, postponed: Postponement | null): ContainerJobResult => ({
    kind: 'containers',
    pipeline: pipeline.name,
    stream: stream.path,
    head,
    containers,
    units,
    tables: tables.map((name) => tableResult(name, written)),
    seconds: (performance.now() - startedMs) / 1000,
    upToDate,
    postponed,
  })
  /** Resolves to true when there was nothing to fetch. */
  const work = async (): Promise<boolean> => {
    const { newest, notice } = await readHead(run.transport, pipeline.source, stream.path, stop)
    if (newest === null) {
      emit({ kind: 'notice', message: notice })
      return true
    }
    head = newest.index
    const coverage = await catalog.coverage(stream, tables)
    await verifySource(stream.path, pipeline.source, [...coverage.values()].flat(), newest.index, (index) =>
      api.container(index, stop),
    )
    const plan = planUnits({
      stream,
      wanted: wantedSlice(job, newest.index),
      unit: job.unit ?? pipeline.walk.unit,
      coverage: new Map([...coverage].map(([table, covered]) => [table, covered.map(({ slice }) => slice)])),
      tables,
    })
    const { units: planned, containers: total } = estimate(plan, api.windowSize())
    if (total === 0) return true
    const context = chainContext(identity, chainOf(job, identity))
    if (context.nativeAssetId === null && identity.nativeAssetId !== null)
      emit({
        kind: 'warning',
        message: `Nobody says in which asset chain ${context.chain} takes its fees: the column burned will be null.`,
      })
    emit({ kind: 'planned', pipeline: pipeline.name, units: planned, containers: total, head: newest.index })
    await walkContainerRange({
      ...run,
      pipeline,
      options: job.options,
      source: api,
      units: unitsOf(plan),
      total,
      context,
      ahead,
      commit: async ({ unit, parts, ends, rows }) => {
        const { slice } = unit
        const snapshotId = await catalog.commit({
          runId: run.runId,
          stream,
          tables: unit.tables,
          parts,
          progress: { kind: 'slice', slice, ends },
          basis: null,
        })
        written.push(...parts)
        containers += slice.to - slice.from
        units++
        emit({ kind: 'committed', pipeline: pipeline.name, slice, snapshotId, rows })
        await run.afterCommit()
      },
    })
    return false
  }
  try {
    return result(await work(), null)
  } catch (error) {
    if (error instanceof PostponedError) return result(false, postponementOf(error))
    run.failed?.(result(false, null))
    throw error
  }
}
