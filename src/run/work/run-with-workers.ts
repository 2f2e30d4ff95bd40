import { hostname } from 'node:os'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, catalogOfLake } from '../../catalog/catalog.ts'
import { createEmptyLake } from '../../catalog/lake/create-lake.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { type Connections, createConnections } from '../connections/connections.ts'
import { endpointsOf } from '../executors/shared-endpoints.ts'
import { aboveFloor } from '../job/disk-space.ts'
import { withoutRepeats } from '../job/events.ts'
import { type Job, readsNode } from '../job/job.ts'
import { earliest } from '../job/postponement.ts'
import { streamFacts } from '../job/stream-facts.ts'
import { ownViews, reportEndedViews } from '../jobs/own-views.ts'
import { createRunRecorder } from '../jobs/record-runs.ts'
import type { RunOptions, RunSummary } from '../jobs/run-options.ts'
import { type StartedJobs, startJobs, withGivenIds } from '../jobs/start-jobs.ts'
import { verifyChains } from '../jobs/verify-chains.ts'
import { chainsStream, writeChains } from '../jobs/write-chains.ts'
import type { JobResult } from '../rows/job-result.ts'
import { publishLatest } from '../status/republish-lake.ts'
import { ownTables } from '../units/own-tables.ts'
import { followTasks, type QueuedJob } from './follow-tasks.ts'
import { type JobTasks, planTasks } from './plan-tasks.ts'
import type { WorkSession } from './work-session.ts'

type QueueingOptions = RunOptions & {
  /** Seconds after which a worker without a heartbeat loses its task to another worker. */
  readonly leaseSeconds: number
  readonly session: WorkSession
}

/**
 * Plans jobs, queues tasks for workers, and waits until all tasks are done. Workers continue with queued tasks even if this ends early.
 * Throws the error of the first failed task.
 */
export async function runWithWorkers(given: QueueingOptions): Promise<RunSummary> {
  const options = { ...given, emit: withoutRepeats(given.emit) }
  const { lake, jobs, stop, emit, session } = options
  const { queue, inTurn } = session
  const endpoints = endpointsOf(jobs)
  const connections = createConnections(options)
  try {
    const { started, catalog, runId, queued } = await inTurn(async () => {
      stop.throwIfAborted()
      const started = await startJobs(jobs, connections, endpoints)
      await createEmptyLake(lake, stop)
      const catalog = await catalogOfLake(lake, declaredTables, { stop })
      if (jobs.some(({ pipeline }) => !readsNode(pipeline))) connections.service().accounts.countIn(catalog)
      const { runId, planned } = await planAll(started, { ...options, urls: endpoints.urls, catalog, connections })
      const queued: QueuedJob[] = []
      for (const [job, { tasks, range }] of planned)
        queued.push({ job, range, ids: await queue.put(tasks, options.leaseSeconds), tasks: tasks.length })
      return { started, catalog, runId, queued }
    })
    const followed = await followTasks(queued, queue, { stop, emit })
    const recorder = createRunRecorder(catalog)
    const failed = new Set(followed.failures.map(({ job }) => job))
    for (const result of followed.results)
      if (!failed.has(result.name))
        recorder.done(started.get(jobs.find(({ name }) => name === result.name)!)!.streams, result)
    if (!stop.aborted) {
      await catalog.recordRun(recorder.rest())
      await inTurn(() => publishLatest(lake, stop))
    }
    const [first, ...others] = followed.failures
    for (const [message, times] of counted(others.map(({ error }) => error.message)))
      emit({ kind: 'warning', message: `Another failure followed: ${message}`, details: { tasks: times } })
    if (first !== undefined) throw first.error
    const networks = [...started.values()].flatMap(({ streams }) => streams.map(({ stream }) => stream.network))
    const postponed = earliest(followed.results.flatMap(({ postponed }) => postponed ?? []))
    return {
      runId,
      network: [...new Set(networks)].join(', '),
      jobs: followed.results,
      busy: [],
      unfinished: followed.results.filter(({ interrupted }) => interrupted).map(({ name }: JobResult) => name),
      stopped: stop.aborted,
      resumeAt: postponed?.resumeAt ?? null,
      reason: postponed?.reason ?? null,
    }
  } finally {
    await connections.close()
  }
}

function counted(texts: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  return times
}

type PlanAll = QueueingOptions & {
  readonly urls: readonly string[]
  readonly catalog: Catalog
  readonly connections: Connections
}

/** Writes the table `chains`, which belongs to no task, and plans the jobs in their order. */
async function planAll(
  started: StartedJobs,
  options: PlanAll,
): Promise<{ readonly runId: string; readonly planned: ReadonlyMap<Job, JobTasks> }> {
  const { lake, catalog, connections, thread: given } = options
  const identity = connections.identity()
  const about = identity === null ? {} : { network: identity, checkCovered: [chainsStream(identity.network)] }
  const streams = [...started.values()].flatMap((each) => each.streams)
  const views = await ownViews([...started.keys()], streams, catalog)
  const run = await catalog.startRun({
    streams: [],
    command: `run --workers, ${process.pid} of ${hostname()}`,
    ...(options.dropsColumns ? { dropsColumns: true as const } : {}),
    tables: ownTables(streams),
    ...views,
    declares: [...started].flatMap(([{ pipeline }, { streams }]) =>
      streams.map((each) => streamFacts(pipeline.name, each)),
    ),
    ...about,
  })
  reportEndedViews(views.endedViews, options.emit)
  const thread = given ?? createParquetThread()
  let parts = 0
  try {
    const { id: runId, covered } = run
    await verifyChains(streams, { ...options, catalog, connections })
    const store = aboveFloor(catalog.store, lake.folder)
    if (identity !== null)
      await writeChains({ store, catalog, thread, runId, nextPart: () => parts++, identity, covered })
    const planned = new Map<Job, JobTasks>()
    for (const [job, each] of withGivenIds(started, run.tables)) planned.set(job, await planTasks(job, each, options))
    await run.end('done')
    return { runId, planned }
  } catch (error) {
    await run.end('failed').catch(() => undefined)
    throw error
  } finally {
    if (given === undefined) await thread.close()
  }
}
