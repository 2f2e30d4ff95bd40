import { pipelines } from '../../../pipelines/index.ts'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, catalogOfLake, isCatalogHeld } from '../../catalog/catalog.ts'
import { createEmptyLake } from '../../catalog/lake/create-lake.ts'
import { theNode } from '../../define/index.ts'
import type { Transport } from '../../fetch/transport.ts'
import { openLookup } from '../../lookup/lookup.ts'
import { readHealth } from '../../sources/node-health.ts'
import type { ServiceProfile } from '../../sources/service-profile.ts'
import { createParquetThread, type ParquetThread } from '../../write/parquet-thread.ts'
import { createReach, type Reach } from '../connections/reach.ts'
import { createDecodeThreads } from '../decode-threads/decode-threads.ts'
import { holdIn, placesOf, type SharedPlaces } from '../executors/shared-places.ts'
import { createUnitThreads } from '../executors/unit-threads.ts'
import { aboveFloor, verifyRoom } from '../job/disk-space.ts'
import { isStop } from '../job/early-end.ts'
import type { EmitEvent } from '../job/events.ts'
import { defaultConcurrency, type Job, type NodeOptions, readsService } from '../job/job.ts'
import { earliest } from '../job/postponement.ts'
import { createPublisher, type Publisher } from '../publish/publisher.ts'
import { tellLost, tellRecovery } from '../publish/tell-recovery.ts'
import type { JobResult } from '../rows/job-result.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import type { Compactor } from '../upkeep/compact-on-the-way.ts'
import type { Expirer } from '../upkeep/expire-on-the-way.ts'
import { withoutRepeats } from '../without-repeats.ts'
import { fencedCatalog } from './fenced-catalog.ts'
import { createOutages, type Outages, untilItPasses } from './outage.ts'
import { createRunRecorder } from './record-runs.ts'
import { runRounds } from './rounds.ts'
import { runJob } from './run-job.ts'
import { type BusyJob, startFree } from './start-free.ts'
import { type StartedJobs, startJobs } from './start-jobs.ts'
import { ofTask, type TaskOfRun, taskCommand } from './task-of-run.ts'
import { writeChains } from './write-chains.ts'

export type RunOptions = NodeOptions & {
  readonly lakeDir: string
  readonly jobs: readonly Job[]
  /** How the REST service is reached; needed for jobs that read it. */
  readonly service?: ServiceProfile
  /** Keep going as the chain grows, committing at least this often (milliseconds), until `stop` is aborted. */
  readonly follow?: { readonly maxLagMs: number }
  /** Merges small files while following, and at the end. */
  readonly compact?: true
  /** Forgets snapshots that are older (milliseconds) now and then while following, and at the end. */
  readonly expireMs?: number
  /** A thread that several runs share, one after another, since starting one takes a while; whoever started it closes it. */
  readonly thread?: ParquetThread
  /** The run is a task of a worker: it does some streams of its job, and leaves showing them to the worker. */
  readonly task?: TaskOfRun
  /** Told at the start of the names of jobs that are left out since other runs have their streams; else it is a warning. */
  readonly leave?: (names: ReadonlySet<string>) => void
  /** Ends the run early: what is contiguous is committed. */
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

export type RunSummary = {
  readonly runId: string
  /** Networks of the jobs. */
  readonly network: string
  readonly jobs: readonly JobResult[]
  /** Jobs that did not run, since other runs have their streams. */
  readonly busy: readonly BusyJob[]
  /** Names of jobs that `stop` ended, or kept from beginning, while there may have been more to do. */
  readonly unfinished: readonly string[]
  /** True when `stop` ended it. */
  readonly stopped: boolean
  /** When a job that is to be continued can go on, and why not now; of several the first. Null when there is none. */
  readonly resumeAt: string | null
  readonly reason: string | null
}

/** What a run that follows tries again until it succeeds. */
type Again = <T>(step: () => Promise<T>) => Promise<T>

/** What a stop leaves when another process holds the catalog. */
const notCommitted =
  'Another process holds the catalog of the lake: what was not committed is left, and the next run fetches it again.'
const notEnded =
  'Another process holds the catalog of the lake: it does not say that this run has ended, so the next one will call it dead. Nothing is lost by that.'

const noCompactor: Compactor = {
  afterCommit: () => undefined,
  afterRound: async () => undefined,
  atEnd: async () => undefined,
}

const noExpirer: Expirer = { whenDue: async () => undefined }

/** For a task: its worker shows what several have done. */
const noPublisher: Publisher = {
  afterCommit: async () => undefined,
  afterRound: async () => undefined,
  wait: async () => undefined,
  atEnd: async () => undefined,
}

/** A unit takes no longer than this before it is committed as it is. */
const commitEveryMs = 5 * 60_000

/**
 * The whole flow: asks what the streams of the jobs depend on, plans, fetches, reads, writes and commits each job, publishes the views.
 * Throws the reason of `stop` when that is aborted before the lake is opened.
 */
export async function runPipelines(given: RunOptions): Promise<RunSummary> {
  const { lakeDir, follow, stop } = given
  // What makes a snapshot is told before its commit is over.
  let isUnchanged = true
  const emit = withoutRepeats(given.emit)
  const tell: EmitEvent = (event) => {
    if (event.kind === 'stored' || event.kind === 'merged') isUnchanged = false
    emit(event)
  }
  const outages = createOutages({ emit: tell, pauseMs: follow?.maxLagMs ?? 0 })
  const options = { ...given, emit: outages.emit }
  const starting = outages.of('The start')
  const again: Again = (step) => (follow === undefined ? step() : untilItPasses(starting, step, stop))
  const places = placesOf(options.jobs)
  const reach = createReach({ ...options, again, holdOf: holdIn(places) })
  try {
    const started = ofTask(options.task, await startJobs(options.jobs, reach, places))
    if (reach.identity() !== null) await again(() => warnWhenUnhealthy(reach.connection(theNode), options))
    await again(() => createEmptyLake(lakeDir, stop))
    const lake = await catalogOfLake(lakeDir, declaredTables, {
      stop,
      onCommit: (stored) => tell({ kind: 'stored', ...stored }),
    })
    const { task } = options
    const catalog = task === undefined ? lake : fencedCatalog(lake, () => task.inSameTransaction)
    return await runOnLake(options, started, places, reach, catalog, outages, again, () => isUnchanged)
  } catch (error) {
    // Nothing was begun: the catalog was still waited for.
    throw stop.aborted && isCatalogHeld(error) ? stop.reason : error
  } finally {
    await reach.close()
  }
}

async function runOnLake(
  options: RunOptions,
  started: StartedJobs,
  places: SharedPlaces,
  reach: Reach,
  catalog: Catalog,
  outages: Outages,
  again: Again,
  isUnchanged: () => boolean,
): Promise<RunSummary> {
  const { lakeDir, follow, stop, emit } = options
  const identity = reach.identity()
  const accounts = options.jobs.some(({ pipeline }) => readsService(pipeline)) ? reach.service().accounts : null
  accounts?.countIn(catalog)
  const starting = { startRun: catalog.startRun, identity, ...taskCommand(options.task) }
  const streamsOf = new Map([...started].map(([job, each]) => [job, each.streams]))
  const { run, jobs, streams, busy, declared, writes } = await again(() => startFree(options.jobs, streamsOf, starting))
  if (options.leave === undefined)
    for (const { name, reason } of busy) emit({ kind: 'warning', message: `${name} is left out: ${reason}` })
  else if (busy.length > 0) options.leave(new Set(busy.map(({ name }) => name)))
  tellRecovery(run.recovery, emit)
  tellLost(run.lost, emit)
  const thread = options.thread ?? createParquetThread()
  const decodeThreads = createDecodeThreads()
  const store = aboveFloor(catalog.store, lakeDir)
  const lookup = openLookup(lakeDir, run.id, store)
  const results = new Map<Job, JobResult>()
  const failures: Error[] = []
  const partCount = new Int32Array(new SharedArrayBuffer(4))
  const concurrency = options.concurrency ?? defaultConcurrency
  const publisher =
    options.task === undefined ? createPublisher({ lakeDir, catalog, runId: run.id, stop, emit }) : noPublisher
  const recorder = createRunRecorder(catalog)
  const lakeRun: LakeRun = {
    catalog,
    thread,
    decodeThreads,
    store,
    runId: run.id,
    nextPart: () => Atomics.add(partCount, 0, 1),
    concurrency,
    verifyRoom: (needed) => verifyRoom(lakeDir, needed),
    commitEveryMs: Math.min(commitEveryMs, follow?.maxLagMs ?? commitEveryMs),
    stop,
    emit,
    afterCommit: () => {
      compactor.afterCommit()
      return publisher.afterCommit()
    },
  }
  const unitThreads = createUnitThreads({
    ...options,
    store: store.place,
    commitEveryMs: lakeRun.commitEveryMs,
    places,
    partCount,
    concurrency,
  })
  // Loaded when it is wanted: what merges files takes long to load.
  const compactor = options.compact
    ? (await import('../upkeep/compact-on-the-way.ts')).createCompactor({ ...lakeRun, lakeDir, writes, declared })
    : noCompactor

  const expirer =
    options.expireMs === undefined
      ? noExpirer
      : (await import('../upkeep/expire-on-the-way.ts')).createExpirer({
          ...lakeRun,
          lakeDir,
          olderThanMs: options.expireMs,
          lastExpiry: run.lastExpiry,
        })

  const runOne = async (job: Job, failed: (partial: JobResult) => void): Promise<JobResult> => {
    thread.renew()
    const { streams, message } = started.get(job)!
    // Threads find pipelines by their names: those of programs are walked here.
    const own = pipelines.includes(job.pipeline) ? unitThreads : { ...unitThreads, threadsFor: () => 1 }
    const result = await runJob(job, streams, { ...lakeRun, reach, lookup, message, unitThreads: own, failed })
    recorder.done(streams, result)
    return result
  }
  const work = async (): Promise<void> => {
    if (identity !== null) await again(() => writeChains({ ...lakeRun, identity, covered: run.covered }))
    const { wait } = publisher
    const afterRound = async (): Promise<void> => {
      // What is to be fetched now and then takes no threads, which keep their memory.
      await unitThreads.close()
      await compactor.afterRound()
      await expirer.whenDue()
      await publisher.afterRound()
      await recorder.afterRound()
    }
    const followMs = follow?.maxLagMs ?? null
    await runRounds({ jobs, followMs, runOne, afterRound, wait, outages, stop, emit }, { results, failures })
    await unitThreads.close()
    await compactor.atEnd()
    await expirer.whenDue()
  }

  const attempt = (step: Promise<void>, left = notCommitted): Promise<void> =>
    step.catch((error: Error) => {
      if (stop.aborted && isCatalogHeld(error)) emit({ kind: 'warning', message: left, details: error.details })
      else if (!isStop(error, stop)) failures.push(error)
    })
  // Whatever fails, the rest is done all the same: what was committed is shown, the threads and the streams are freed.
  await attempt(work())
  if (accounts !== null) await attempt(accounts.settle())
  // Before the views are built, which takes memory of its own.
  await attempt(unitThreads.close())
  await attempt(decodeThreads.close())
  await attempt(lookup.close())
  if (options.thread === undefined) await attempt(thread.close())
  await attempt(publisher.atEnd(isUnchanged() && failures.length === 0 ? run.snapshot : null))
  const postponed = earliest([...results.values()].flatMap((result) => result.postponed ?? []))
  const ending = stop.aborted ? 'stopped' : postponed === null ? 'done' : 'postponed'
  await attempt(run.end(failures.length > 0 ? 'failed' : ending, recorder.rest()), notEnded)
  const [first, ...others] = failures
  for (const { message } of others) emit({ kind: 'warning', message: `Then this failed too: ${message}` })
  if (first !== undefined) throw first
  const network = [...new Set(streams.map((stream) => stream.network))].join(', ')
  return {
    runId: run.id,
    network,
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

/** An unhealthy node is worth one warning: it still answers for what it has. */
async function warnWhenUnhealthy(transport: Transport, { emit, stop }: RunOptions): Promise<void> {
  const { healthy, reason } = await readHealth(transport, stop)
  if (healthy) return
  const message = 'The node calls itself unhealthy. The run reads it as long as it answers.'
  emit({ kind: 'warning', message, details: { reason }, once: true })
}
