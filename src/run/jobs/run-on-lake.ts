import { type Catalog, isCatalogHeld } from '../../catalog/catalog.ts'
import type { Connection, Endpoint, StreamDeclaration } from '../../define/index.ts'
import { type Stream, streamId } from '../../model.ts'
import { runsInThreads } from '../../pipeline-modules/find-pipeline.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import type { Connections } from '../connections/connections.ts'
import { createDecodeThreads } from '../decode-threads/decode-threads.ts'
import type { SharedEndpoints } from '../executors/shared-endpoints.ts'
import { createUnitThreads } from '../executors/unit-threads.ts'
import { roundInterval } from '../heads/round-interval.ts'
import { watchJobs } from '../heads/watch-jobs.ts'
import { isStop } from '../job/early-end.ts'
import { type Job, readsNode } from '../job/job.ts'
import { earliest } from '../job/postponement.ts'
import { createPublisher, type Publisher } from '../publish/publisher.ts'
import { reportLostFiles, reportRecovery } from '../publish/report-recovery.ts'
import type { JobResult } from '../rows/job-result.ts'
import { type LakeRun, openLakeRun } from '../rows/lake-run.ts'
import type { UnitThreads } from '../units/unit-executor.ts'
import type { Compactor } from '../upkeep/compact-on-the-way.ts'
import type { Expirer } from '../upkeep/expire-on-the-way.ts'
import type { Outages } from './outage.ts'
import { reportEndedViews } from './own-views.ts'
import { createRunRecorder, type RunRecorder } from './record-runs.ts'
import { type RoundsOptions, type RoundsResult, runRounds } from './rounds.ts'
import { runJob } from './run-job.ts'
import type { RunOptions, RunSummary } from './run-options.ts'
import { type Started, startFree } from './start-free.ts'
import { type StartedJobs, withGivenIds } from './start-jobs.ts'
import { taskCommand } from './task-of-run.ts'
import { verifyChains } from './verify-chains.ts'
import { writeChains } from './write-chains.ts'

/** Runs a step, and while following retries it until it succeeds. */
export type Retry = <T>(step: () => Promise<T>) => Promise<T>

/** A run with the facts of its sources, and with the catalog of its lake. */
type PreparedRun = {
  readonly options: RunOptions
  readonly started: StartedJobs
  readonly endpoints: SharedEndpoints
  readonly connections: Connections
  readonly catalog: Catalog
  readonly outages: Outages
  readonly retry: Retry
  /** Whether the run has not made a snapshot yet. */
  readonly isUnchanged: () => boolean
}

/** What a run works with while the lake is open for it. */
type Tools = {
  readonly lakeRun: LakeRun
  readonly unitThreads: UnitThreads
  readonly publisher: Publisher
  readonly compactor: Compactor
  readonly expirer: Expirer
  readonly recorder: RunRecorder
}

/** Warnings after a stop, when another process holds the catalog. */
const notCommitted =
  'Could not commit the last rows: another process holds the catalog lock. No committed data is lost; the next run fetches them again.'
const notEnded =
  'Could not record the end of this run: another process holds the catalog lock. No data is lost; the next run will report this one as crashed.'

const noCompactor: Compactor = {
  afterCommit: () => undefined,
  afterRound: async () => undefined,
  atEnd: async () => undefined,
}

const noExpirer: Expirer = { whenDue: async () => undefined }

/** For a task: its worker publishes the results of several tasks together. */
const noPublisher: Publisher = {
  afterCommit: async () => undefined,
  afterRound: async () => undefined,
  wait: async () => undefined,
  atEnd: async () => undefined,
}

/** Registers a run in the catalog, runs its jobs, closes what it has opened, and publishes. */
export async function runOnLake(prepared: PreparedRun): Promise<RunSummary> {
  const { options, connections, catalog, isUnchanged } = prepared
  const { stop, emit } = options
  const accounts = options.jobs.some(({ pipeline }) => !readsNode(pipeline)) ? connections.service().accounts : null
  accounts?.countIn(catalog)
  const registered = await register(prepared)
  const { run } = registered
  const tools = await openTools(prepared, registered)
  const { lakeRun, unitThreads, publisher, recorder } = tools
  const results = new Map<Job, JobResult>()
  const failures: Error[] = []

  const attempt = (step: Promise<void>, warning = notCommitted): Promise<void> =>
    step.catch((error: Error) => {
      if (stop.aborted && isCatalogHeld(error)) emit({ kind: 'warning', message: warning, details: error.details })
      else if (!isStop(error, stop)) failures.push(error)
    })
  // Each step runs although an earlier one failed: commits are published, threads and streams are freed.
  await attempt(runJobs(prepared, registered, tools, { results, failures }))
  if (accounts !== null) await attempt(accounts.settle())
  // Before the views are built, which needs memory of its own.
  await attempt(unitThreads.close())
  await attempt(lakeRun.decodeThreads.close())
  await attempt(lakeRun.lookup.close())
  if (options.thread === undefined) await attempt(lakeRun.thread.close())
  await attempt(publisher.atEnd(isUnchanged() && failures.length === 0 ? run.snapshot : null))
  const postponed = earliest([...results.values()].flatMap((result) => result.postponed ?? []))
  const ending = stop.aborted ? 'stopped' : postponed === null ? 'done' : 'postponed'
  await attempt(run.end(failures.length > 0 ? 'failed' : ending, recorder.rest()), notEnded)
  const [first, ...others] = failures
  for (const { message } of others) emit({ kind: 'warning', message: `Another failure followed: ${message}` })
  if (first !== undefined) throw first
  const { jobs, streams, busy } = registered
  return {
    runId: run.id,
    network: [...new Set(streams.map((stream) => stream.network))].join(', '),
    jobs: [...results.values()],
    busy,
    unfinished: stop.aborted
      ? jobs.filter((job) => results.get(job)?.interrupted !== false).map(({ name }) => name)
      : [],
    stopped: stop.aborted,
    resumeAt: postponed?.resumeAt ?? null,
    reason: postponed?.reason ?? null,
  }
}

/** Registers the run with the jobs that have free streams, and reports the other jobs and what earlier runs left. */
async function register({ options, started, connections, catalog, retry }: PreparedRun): Promise<Started> {
  const { jobs, task, leave, dropsColumns, emit } = options
  const streamsOf = new Map([...started].map(([job, { streams }]) => [job, streams]))
  const starting = {
    catalog,
    identity: connections.identity(),
    nodeIdOf: (endpoint: Endpoint) => nodeIdOf(connections.connection(endpoint), options),
    ...taskCommand(task),
    ...(dropsColumns ? { dropsColumns } : {}),
  }
  const registered = await retry(() => startFree(jobs, streamsOf, starting))
  const { run, busy } = registered
  if (leave === undefined)
    for (const { name, reason } of busy) emit({ kind: 'warning', message: `${name} was skipped: ${reason}` })
  else if (busy.length > 0) leave(new Set(busy.map(({ name }) => name)))
  reportRecovery(run.recovery, emit)
  reportLostFiles(run.lost, emit)
  reportEndedViews(registered.endedViews, emit)
  return registered
}

async function nodeIdOf(
  connection: Connection,
  { stop, emit }: Pick<RunOptions, 'stop' | 'emit'>,
): Promise<string | null> {
  const { readNodeId } = await import('../../sources/node-info.ts')
  const id = await readNodeId(connection, stop)
  if (id === null)
    emit({
      kind: 'notice',
      message:
        'The node does not report its id, so the lake cannot tell whether a later run reads its indexes in the same order. A container that comes at a second place is still refused.',
      once: true,
    })
  return id
}

async function openTools({ options, endpoints, catalog }: PreparedRun, registered: Started): Promise<Tools> {
  const { lake, follow, stop, emit } = options
  const { run, writes } = registered
  const publisher =
    options.task === undefined
      ? createPublisher({
          lakeDir: lake.folder,
          catalog,
          runId: run.id,
          pace: follow?.maxLagMs === 0 ? 'each commit' : 'usual',
          stop,
          emit,
        })
      : noPublisher
  const { partCount, ...lakeRun } = openLakeRun({
    lakeDir: lake.folder,
    catalog,
    runId: run.id,
    thread: options.thread ?? createParquetThread(),
    decodeThreads: createDecodeThreads(),
    concurrency: options.concurrency,
    ...(follow === undefined ? {} : { maxLagMs: roundInterval(follow) }),
    stop,
    emit,
    afterCommit: () => {
      compactor.afterCommit()
      return publisher.afterCommit()
    },
  })
  const { commitEveryMs, concurrency, store } = lakeRun
  const unitThreads = createUnitThreads({
    ...options,
    store: store.place,
    commitEveryMs,
    endpoints,
    partCount,
    concurrency,
  })
  // Loaded on demand: the code that merges files takes long to load.
  const compactor = options.compact
    ? (await import('../upkeep/compact-on-the-way.ts')).createCompactor({
        ...lakeRun,
        lakeDir: lake.folder,
        writes,
      })
    : noCompactor
  const expirer =
    options.expireMs === undefined
      ? noExpirer
      : (await import('../upkeep/expire-on-the-way.ts')).createExpirer({
          ...lakeRun,
          lake,
          olderThanMs: options.expireMs,
          lastExpiry: run.lastExpiry,
        })
  return { lakeRun, unitThreads, publisher, compactor, expirer, recorder: createRunRecorder(catalog) }
}

/** Runs the jobs, once or until `stop`, and then merges files and expires snapshots. */
async function runJobs(
  { options, started: declared, connections, catalog, outages, retry }: PreparedRun,
  { run, jobs }: Started,
  { lakeRun, unitThreads, publisher, compactor, expirer, recorder }: Tools,
  outcome: RoundsResult,
): Promise<void> {
  const { follow, stop, emit } = options
  const identity = connections.identity()
  const started = withGivenIds(declared, run.tables)
  const runOne: RoundsOptions['runOne'] = async (job, on) => {
    lakeRun.thread.renew()
    const { streams, message } = started.get(job)!
    const ownThreads = runsInThreads(job.pipeline) ? unitThreads : { ...unitThreads, threadsFor: () => 1 }
    const late = new Set<string>()
    const behind = (stream: Stream) => void late.add(streamId(stream))
    const tools = { ...lakeRun, connections, message, unitThreads: ownThreads, behind }
    const result = await runJob(job, streams, { ...tools, ...on })
    const atHead = streams.filter(({ stream }) => !late.has(streamId(stream)))
    recorder.done(atHead, result)
    return result
  }
  const afterRound = async (): Promise<void> => {
    // New blocks are too few for threads, and idle threads keep their memory.
    await unitThreads.close()
    await compactor.afterRound()
    await expirer.whenDue()
    await publisher.afterRound()
    await recorder.afterRound()
  }
  const streamsOf = (job: Job): readonly StreamDeclaration[] => started.get(job)!.streams
  await retry(() => verifyChains(jobs.flatMap(streamsOf), { catalog, connections, stop, emit }))
  if (identity !== null) await retry(() => writeChains({ ...lakeRun, identity, covered: run.covered }))
  const followMs = follow === undefined ? null : roundInterval(follow)
  const watches = await watchJobs({ ...options, jobs, streamsOf })
  const { of: watchOf, nextWake } = watches
  await runRounds(
    { jobs, followMs, runOne, afterRound, wait: publisher.wait, watchOf, nextWake, outages, stop, emit },
    outcome,
  ).finally(watches.close)
  await unitThreads.close()
  await compactor.atEnd()
  await expirer.whenDue()
}
