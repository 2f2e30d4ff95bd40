import { tables as declaredTables } from '../../schemas/index.ts'
import { type Catalog, createLake, lakeExists, openCatalog, type Recovery } from '../catalog/catalog.ts'
import type { Transport } from '../fetch/transport.ts'
import { readHealth } from '../sources/node-health.ts'
import { startParquetThread } from '../write/parquet-thread.ts'
import { createDecodeThreads } from './decode-threads.ts'
import type { EmitEvent } from './events.ts'
import { defaultConcurrency, type Job, type NodeOptions, streamOf } from './job.ts'
import { type OpenNode, withNode } from './open-node.ts'
import { publishWhenBehind } from './publish-lake.ts'
import { type JobResult, type JobRun, runJob } from './run-job.ts'
import { waitUnlessStopped } from './wait.ts'
import { writeChains } from './write-chains.ts'

export type RunOptions = NodeOptions & {
  readonly lakeDir: string
  readonly jobs: readonly Job[]
  /** Keep going as the chain grows, committing at least this often (milliseconds), until `stop` is aborted. */
  readonly follow?: { readonly maxLagMs: number }
  /** Ends the run early: what is contiguous is committed. */
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

export type RunSummary = {
  readonly runId: string
  readonly network: string
  readonly jobs: readonly JobResult[]
  /** True when `stop` ended it. */
  readonly stopped: boolean
}

/** A unit takes no longer than this before it is committed as it is. */
const commitEveryMs = 5 * 60_000
/** Views are published at most this often while a run goes on. */
const publishEveryMs = 60_000

/**
 * The whole flow: asks the node who it is, plans, fetches, decodes, writes and commits each job, publishes the views.
 * Throws the reason of `stop` when that is aborted before the lake is opened.
 */
export async function runPipelines(options: RunOptions): Promise<RunSummary> {
  const { lakeDir, emit } = options
  return withNode(options, emit, async (node) => {
    await warnWhenUnhealthy(node.transport, options)
    const catalog = (await lakeExists(lakeDir))
      ? await openCatalog(lakeDir, declaredTables)
      : await createLake(lakeDir, declaredTables)
    return runOnLake(options, node, catalog)
  })
}

async function runOnLake(
  options: RunOptions,
  { transport, identity }: OpenNode,
  catalog: Catalog,
): Promise<RunSummary> {
  const { lakeDir, jobs, follow, stop, emit } = options
  await catalog.recordNetwork(identity)
  const run = await catalog.startRun({ streams: jobs.map((job) => streamOf(job, identity)), command: 'run' })
  tellRecovery(run.recovery, emit)
  const thread = startParquetThread()
  const threads = createDecodeThreads()
  const results = new Map<Job, JobResult>()
  let partCount = 0
  const nextPart = () => partCount++
  let publishedMs = Date.now()
  const publishNow = async (): Promise<void> => {
    await publish(lakeDir, catalog, emit)
    publishedMs = Date.now()
  }
  const jobRun: JobRun = {
    ...options,
    transport,
    identity,
    catalog,
    thread,
    threads,
    runId: run.id,
    nextPart,
    concurrency: options.concurrency ?? defaultConcurrency,
    commitEveryMs: Math.min(commitEveryMs, follow?.maxLagMs ?? commitEveryMs),
    afterCommit: async () => {
      if (Date.now() - publishedMs >= publishEveryMs) await publishNow()
    },
  }

  const round = async (): Promise<void> => {
    for (const job of jobs) {
      if (stop.aborted) return
      results.set(job, addResults(results.get(job), await runJob(job, jobRun)))
    }
  }
  const work = async (): Promise<void> => {
    await writeChains({ lakeDir, catalog, thread, runId: run.id, nextPart, identity })
    for (;;) {
      const roundMs = Date.now()
      await round()
      if (follow === undefined || stop.aborted) return
      await publishNow()
      for (const [job, { head }] of results) emit({ kind: 'waiting', pipeline: job.pipeline.name, head: head ?? -1 })
      await waitUnlessStopped(Math.max(0, follow.maxLagMs - (Date.now() - roundMs)), stop)
    }
  }

  const failures: Error[] = []
  const attempt = (step: Promise<void>): Promise<void> =>
    step.catch((error: Error) => {
      if (!stop.aborted || error !== stop.reason) failures.push(error)
    })
  // Whatever fails, the rest is done all the same: what was committed is shown, the threads and the streams are freed.
  await attempt(work())
  await attempt(publishNow())
  await attempt(threads.close())
  await attempt(thread.close())
  await attempt(run.end(failures.length > 0 ? 'failed' : stop.aborted ? 'stopped' : 'done'))
  const [first, ...others] = failures
  for (const { message } of others) emit({ kind: 'warning', message: `Then this failed too: ${message}` })
  if (first !== undefined) throw first
  return { runId: run.id, network: identity.network, jobs: [...results.values()], stopped: stop.aborted }
}

/** An unhealthy node is worth one warning: its index still answers. */
async function warnWhenUnhealthy(transport: Transport, { emit, stop }: RunOptions): Promise<void> {
  const { healthy, reason } = await readHealth(transport, stop)
  if (healthy) return
  const message = 'The node calls itself unhealthy; its index still answers, so the run goes on.'
  emit({ kind: 'warning', message, details: { reason } })
}

/** What runs that died had left: worth knowing, and files that nobody can place are worth a look. */
function tellRecovery({ died, removed, unknown }: Recovery, emit: EmitEvent): void {
  if (died.length > 0)
    emit({
      kind: 'notice',
      message: 'A run before this one had died; what it had not committed was removed.',
      details: { runs: died.join(', '), files: removed.length },
    })
  if (unknown.length > 0)
    emit({
      kind: 'warning',
      message: 'There are files under data/ that no commit and no run of this lake knows; they are left alone.',
      details: { files: unknown.length, first: unknown[0] },
    })
}

async function publish(lakeDir: string, catalog: Catalog, emit: EmitEvent): Promise<void> {
  const snapshotId = await publishWhenBehind(lakeDir, catalog)
  if (snapshotId !== null) emit({ kind: 'published', snapshotId })
}

function addResults(before: JobResult | undefined, now: JobResult): JobResult {
  if (before === undefined) return now
  return {
    ...now,
    containers: before.containers + now.containers,
    units: before.units + now.units,
    seconds: before.seconds + now.seconds,
    upToDate: before.upToDate && now.upToDate,
    tables: now.tables.map((table, position) => {
      const earlier = before.tables[position]
      if (earlier === undefined) return table
      return {
        name: table.name,
        rows: earlier.rows + table.rows,
        bytes: earlier.bytes + table.bytes,
        files: earlier.files + table.files,
      }
    }),
  }
}
