import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, catalogOfLake } from '../../catalog/catalog.ts'
import { createEmptyLake } from '../../catalog/lake.ts'
import type { Connection } from '../../define/connection.ts'
import { type Endpoint, type StreamDeclaration, theNode } from '../../define/index.ts'
import { errorKind, LockedError } from '../../errors.ts'
import { openLookup } from '../../lookup/lookup.ts'
import { streamId } from '../../model.ts'
import { runsInThreads } from '../../pipeline-modules/find-pipeline.ts'
import { readHealth } from '../../sources/node.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { type Connections, createConnections } from '../connections/connections.ts'
import { aboveFloor } from '../disk-space.ts'
import { isStop } from '../error-parts.ts'
import { type EmitEvent, type JobResult, reportStart, withoutRepeats } from '../events.ts'
import {
  cooldownIn,
  defaultConcurrency,
  endpointsOf,
  type Job,
  type JobMessage,
  roundInterval,
  type SharedEndpoints,
} from '../job.ts'
import { createPublisher } from '../publish/publisher.ts'
import { threadsFor } from '../ranges/plan-slices.ts'
import type { JobThreads } from '../ranges/threads.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import type { Outages, RoundsResult } from './rounds.ts'
import { createRunRecorder, type Round, runJob } from './run-job.ts'
import {
  checkRunOptions,
  ofTask,
  type RunOptions,
  type RunSummary,
  reportEndedViews,
  runSummary,
  type StartedJobs,
  startFree,
  startJobs,
  verifyChains,
  withGivenIds,
  writeChains,
} from './start-jobs.ts'

/**
 * Runs jobs end to end: requests the facts that the streams depend on, plans, fetches, decodes, writes and commits each job, and publishes
 * the views. Throws the reason of `stop` when that is aborted before the lake is open.
 */
export async function runPipelines(requested: RunOptions): Promise<RunSummary> {
  checkRunOptions(requested)
  const { lake, follow, stop, task } = requested
  // The event of a snapshot arrives before its commit has returned.
  let isUnchanged = true
  const emitOnce = withoutRepeats(requested.emit)
  const emit: EmitEvent = (event) => {
    if (event.kind === 'stored' || event.kind === 'merged') isUnchanged = false
    emitOnce(event)
  }
  // Loaded on demand: most runs are started by a scheduler and read what is new once.
  const rounds = follow === undefined ? null : await import('./rounds.ts')
  const outages = rounds?.createOutages({ emit, pauseMs: roundInterval(follow!) }) ?? null
  const options = outages === null ? { ...requested, emit } : { ...requested, emit: outages.emit }
  const starting = outages?.of('The start')
  const retry: Retrying = (step) => (starting === undefined ? step() : rounds!.untilItSucceeds(starting, step, stop))
  const endpoints = endpointsOf(options.jobs)
  const connections = createConnections({ ...options, retry, cooldownOf: cooldownIn(endpoints) })
  try {
    const started = ofTask(task, await startJobs(options.jobs, connections, endpoints))
    if (connections.identity() !== null) await retry(() => warnWhenUnhealthy(connections.connection(theNode), options))
    await retry(() => createEmptyLake(lake, stop))
    const catalog = await catalogOfLake(lake, declaredTables, {
      stop,
      onCommit: (stored) => emit({ kind: 'stored', ...stored }),
    })
    const prepared = { options, started, endpoints, connections, catalog, outages, retry }
    return await runOnLake({ ...prepared, isUnchanged: () => isUnchanged })
  } catch (error) {
    // The run was still waiting for the catalog and has not begun.
    throw stop.aborted && errorKind(error) === 'held' ? stop.reason : error
  } finally {
    await connections.close()
  }
}

/** Warns once about an unhealthy node: it still serves the data that it has. */
async function warnWhenUnhealthy(connection: Connection, { emit, stop }: RunOptions): Promise<void> {
  const { healthy, reason } = await readHealth(connection, stop)
  if (healthy) return
  const message = 'The node reports that it is unhealthy. The run reads from it while it responds.'
  emit({ kind: 'warning', message, details: { reason }, once: true })
}

/** Runs a step, and while following retries it until it succeeds. */
type Retrying = <T>(step: () => Promise<T>) => Promise<T>

/** A run with the facts of its sources, and with the catalog of its lake. */
type PreparedRun = {
  readonly options: RunOptions
  readonly started: StartedJobs
  readonly endpoints: SharedEndpoints
  readonly connections: Connections
  readonly catalog: Catalog
  /** Null: the run does not follow the chain. */
  readonly outages: Outages | null
  readonly retry: Retrying
  /** Whether the run has not made a snapshot yet. */
  readonly isUnchanged: () => boolean
}

/** A registered run, its jobs and what they fill. */
type Started = Awaited<ReturnType<typeof startFree>>

/** What a run works with while the lake is open for it. */
type Tools = Awaited<ReturnType<typeof openTools>>

/** Warnings after a stop, when another process holds the catalog. */
const notCommitted =
  'Could not commit the last rows: another process holds the catalog lock. No committed data is lost; the next run fetches them again.'
const notEnded =
  'Could not record the end of this run: another process holds the catalog lock. No data is lost; the next run will report this one as crashed.'

/** Registers a run in the catalog, runs its jobs, closes what it has opened, and publishes. */
async function runOnLake(prepared: PreparedRun): Promise<RunSummary> {
  const { options, connections, catalog, isUnchanged } = prepared
  const { stop, emit } = options
  const accounts = options.jobs.some(({ pipeline }) => pipeline.reads !== 'node')
    ? connections.service().accounts
    : null
  accounts?.countIn(catalog)
  const registered = await register(prepared)
  const { run } = registered
  const tools = await openTools(prepared, registered)
  const { lakeRun, threads, publisher, recorder } = tools
  const results = new Map<Job, JobResult>()
  const failures: Error[] = []

  const collect = (step: Promise<void>, warning = notCommitted): Promise<void> =>
    step.catch((error: Error) => {
      const isHeld = error instanceof LockedError && error.kind === 'held'
      if (stop.aborted && isHeld) emit({ kind: 'warning', message: warning, details: error.details })
      else if (!isStop(error, stop)) failures.push(error)
    })
  // Each step runs although an earlier one failed: commits are published, threads and streams are freed.
  await collect(runJobs(prepared, registered, tools, { results, failures }))
  if (accounts !== null) await collect(accounts.settle())
  // Before the views are built, which needs memory of its own.
  await collect(threads.close())
  await collect(lakeRun.lookup.close())
  if (options.thread === undefined) await collect(lakeRun.thread.close())
  if (publisher !== null) await collect(publisher.atEnd(isUnchanged() && failures.length === 0 ? run.snapshot : null))
  const unfinished = registered.jobs.filter((job) => stop.aborted && results.get(job)?.interrupted !== false)
  const summary = runSummary(registered.streams, [...results.values()], {
    runId: run.id,
    busy: registered.busy,
    unfinished: unfinished.map(({ name }) => name),
    stop,
  })
  const ending = summary.stopped ? 'stopped' : summary.resumeAt === null ? 'done' : 'postponed'
  await collect(run.end(failures.length > 0 ? 'failed' : ending, recorder.rest()), notEnded)
  const [first, ...others] = failures
  for (const { message } of others) emit({ kind: 'warning', message: `Another failure followed: ${message}` })
  if (first !== undefined) throw first
  return summary
}

/** Registers the run with the jobs that have free streams, and reports the other jobs and what earlier runs left. */
async function register({ options, started, connections, catalog, retry }: PreparedRun): Promise<Started> {
  const { jobs, task, leave, dropsColumns, emit } = options
  const starting = {
    catalog,
    identity: connections.identity(),
    nodeIdOf: (endpoint: Endpoint) => nodeIdOf(connections.connection(endpoint), options),
    ...(task === undefined ? {} : { command: `worker, task ${task.id}` }),
    ...(task?.takesOver === true ? { takesOver: true as const } : {}),
    ...(dropsColumns ? { dropsColumns } : {}),
  }
  const registered = await retry(() => startFree(jobs, started, starting))
  const { run, busy } = registered
  if (leave === undefined)
    for (const { name, reason } of busy) emit({ kind: 'warning', message: `${name} was skipped: ${reason}` })
  else if (busy.length > 0) leave(new Set(busy.map(({ name }) => name)))
  reportStart(run, emit)
  reportEndedViews(registered.endedViews, emit)
  return registered
}

async function nodeIdOf(
  connection: Connection,
  { stop, emit }: Pick<RunOptions, 'stop' | 'emit'>,
): Promise<string | null> {
  const { readNodeId } = await import('../../sources/node.ts')
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

async function openTools({ options, endpoints, catalog }: PreparedRun, registered: Started) {
  const { lake, follow, stop, emit } = options
  const { run, writes } = registered
  // The worker of a task publishes the results of several tasks together.
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
      : null
  const { partCount, ...lakeRun } = openLakeRun({
    lakeDir: lake.folder,
    catalog,
    runId: run.id,
    thread: options.thread ?? createParquetThread(),
    concurrency: options.concurrency,
    ...(follow === undefined ? {} : { maxLagMs: roundInterval(follow) }),
    stop,
    emit,
    afterCommit: async () => {
      compactor?.afterCommit()
      await publisher?.afterCommit()
    },
  })
  const { commitEveryMs, concurrency, store } = lakeRun
  const openThreads = async () => {
    const { createSliceThreads } = await import('../ranges/threads.ts')
    const shared = { runId: run.id, store: store.place, commitEveryMs, endpoints, partCount, concurrency }
    return createSliceThreads({ ...options, ...shared })
  }
  let opened: ReturnType<typeof openThreads> | null = null
  const threads = {
    of: (job: JobMessage): JobThreads => ({
      threadsFor: (coordinates) => threadsFor({ threads: options.threads, concurrency }, coordinates),
      read: async (...slices) => {
        opened ??= openThreads()
        await (await opened).read(job, ...slices)
      },
    }),
    close: async () => (await opened)?.close(),
  }
  // Loaded on demand: the code that merges files takes long to load.
  const compactor = options.compact
    ? (await import('../upkeep/compact.ts')).createCompactor({ ...lakeRun, writes })
    : null
  const expirer =
    options.expireMs === undefined
      ? null
      : (await import('../upkeep/expire.ts')).createExpirer({
          ...lakeRun,
          lake,
          olderThanMs: options.expireMs,
          lastExpiry: run.lastExpiry,
        })
  return { lakeRun, threads, publisher, compactor, expirer, recorder: createRunRecorder(catalog) }
}

/** Runs the jobs, once or until `stop`, and then merges files and expires snapshots. */
async function runJobs(
  { options, started: declared, connections, catalog, outages, retry }: PreparedRun,
  { run, jobs }: Started,
  { lakeRun, threads, publisher, compactor, expirer, recorder }: Tools,
  outcome: RoundsResult,
): Promise<void> {
  const { follow, stop, emit } = options
  const identity = connections.identity()
  const started = withGivenIds(declared, run.tables)
  const runOne = async (job: Job): Promise<Round> => {
    emit({ kind: 'round', pipeline: job.name, is: 'begun' })
    lakeRun.thread.renew()
    const { streams, message } = started.get(job)!
    const own = runsInThreads(job.pipeline) ? threads.of(message) : null
    const round = await runJob(job, streams, { ...lakeRun, connections, threads: own })
    const { result, failure, behind } = round
    if (failure !== null) return round
    const atHead = streams.filter(({ stream }) => !behind.has(streamId(stream)))
    recorder.done(atHead, result)
    const isAtHead = !result.interrupted && result.postponed === null
    emit({ kind: 'round', pipeline: job.name, is: 'ended', ...(isAtHead ? { atHead: true } : {}) })
    return round
  }
  const afterRound = async (): Promise<void> => {
    // New blocks are too few for threads, and idle threads keep their memory.
    await threads.close()
    await compactor?.afterRound()
    await expirer?.whenDue()
    await publisher?.afterRound()
    await recorder.afterRound()
  }
  const streamsOf = (job: Job): readonly StreamDeclaration[] => started.get(job)!.streams
  await retry(() => verifyChains(jobs.flatMap(streamsOf), { catalog, connections, stop, emit }))
  if (identity !== null) await retry(() => writeChains({ ...lakeRun, identity, covered: run.covered }))
  if (follow === undefined || outages === null) {
    for (const job of jobs) {
      if (stop.aborted) break
      const { result, failure } = await runOne(job)
      if (failure !== null) throw failure
      outcome.results.set(job, result)
    }
  } else {
    const { watchJobs } = await import('../heads/watch-heads.ts')
    const { followJobs } = await import('./rounds.ts')
    const watches = watchJobs({ ...options, follow, jobs, streamsOf })
    // Only a run that publishes follows.
    const wait = publisher?.wait ?? (async () => undefined)
    const followMs = roundInterval(follow)
    await followJobs({ jobs, followMs, runOne, afterRound, wait, watches, outages, stop, emit }, outcome).finally(
      watches.close,
    )
  }
  await threads.close()
  await compactor?.atEnd()
  await expirer?.whenDue()
}

type LakeRunOptions = Pick<LakeRun, 'lakeDir' | 'catalog' | 'thread' | 'runId' | 'stop' | 'emit'> & {
  readonly concurrency?: number | undefined
  /** Maximum age of uncommitted data while following, in milliseconds. */
  readonly maxLagMs?: number | undefined
  readonly afterCommit?: () => Promise<void>
}

/** A batch is committed as it is when it takes longer than this. */
const usualCommitEveryMs = 5 * 60_000

/** Opens a lake for a run that the catalog knows. The caller closes `lookup`, and the threads that it passes, which may share `partCount`. */
export function openLakeRun({ lakeDir, concurrency, maxLagMs, afterCommit, ...shared }: LakeRunOptions) {
  const { catalog, runId } = shared
  const store = aboveFloor(catalog.store, lakeDir)
  const partCount = new Int32Array(new SharedArrayBuffer(4))
  return {
    ...shared,
    lakeDir,
    store,
    lookup: openLookup(lakeDir, runId, store),
    partCount,
    nextPart: () => Atomics.add(partCount, 0, 1),
    concurrency: concurrency ?? defaultConcurrency,
    commitEveryMs: Math.min(usualCommitEveryMs, maxLagMs ?? usualCommitEveryMs),
    afterCommit: afterCommit ?? (async () => undefined),
  }
}
