import { hostname } from 'node:os'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { catalogOfLake, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { type NetworkIdentity, type Pipeline, theNode } from '../../define/index.ts'
import {
  ChainlakeError,
  ConfigError,
  type ErrorKind,
  errorKind,
  PostponedError,
  StorageError,
  StreamTakenError,
  TransportError,
} from '../../errors.ts'
import { sumOf } from '../../lib/arrays.ts'
import { type Slice, streamId } from '../../model.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { type ConnectionOptions, createConnections } from '../connections/connections.ts'
import { isStop } from '../error-parts.ts'
import {
  type EmitEvent,
  type JobResult,
  type Postponement,
  postponementOf,
  reportStart,
  withoutRepeats,
} from '../events.ts'
import { defaultConcurrency, type NodeOptions } from '../job.ts'
import { runJob } from '../jobs/run-job.ts'
import { openLakeRun, runPipelines } from '../jobs/run-pipelines.ts'
import { createMemberOpener, windowsAhead } from '../ranges/plan-slices.ts'
import { knownValues, type Task, taskKey, taskPipeline, verifyChainCheckpoint, verifyTask } from './task.ts'

export type WorkerOptions = NodeOptions &
  Pick<ConnectionOptions, 'service' | 'services'> & {
    readonly lake: LakeLocation
    readonly pipelines?: readonly Pipeline[]
    readonly urls: readonly string[]
    /** End when no task waits or is in progress. */
    readonly untilDone?: true
    /** Commits the complete prefix of the current task and returns the rest to the queue. */
    readonly stop: AbortSignal
    readonly emit: EmitEvent
  }

export type WorkerSummary = {
  readonly done: number
  /** Tasks returned to the queue, for other workers or for later. */
  readonly givenBack: number
  readonly failed: number
  readonly rows: number
}

/** Reads slices for a worker, one after another, as one run of the lake. File names contain the id of the run. */
export function createSliceWorker(options: WorkerOptions, command: string) {
  const { lake, urls: known, pipelines = [] } = options
  // The slices of a stream have the same warnings.
  const emit = withoutRepeats(options.emit)
  const concurrency = options.concurrency ?? defaultConcurrency
  const connections = createConnections({ ...options, emit })
  const thread = createParquetThread()
  const memberOf = createMemberOpener({
    connection: connections.connection,
    urls: [],
    underWay: windowsAhead({ concurrency }),
    pipelineOf: (name) => taskPipeline(name, pipelines),
  })
  const chainCheckpoints = new Set<string>()
  let open: ReturnType<typeof begin> | null = null

  const begin = async () => {
    const catalog = await catalogOfLake(lake, declaredTables, {
      stop: options.stop,
      onCommit: (stored) => emit({ kind: 'stored', ...stored }),
    })
    const run = await catalog.startRun({ streams: [], command })
    reportStart(run, emit)
    const { stop } = options
    const shared = { lakeDir: lake.folder, catalog, runId: run.id, thread, concurrency, stop, emit }
    return { run, lakeRun: openLakeRun(shared) }
  }

  return {
    async work(task: Task, slice: Slice, stop: AbortSignal): Promise<JobResult> {
      const pipeline = taskPipeline(task.message, pipelines)
      const values = knownValues(task, known)
      await verifyNode(task.message.facts.node, connections)
      open ??= begin()
      const { lakeRun } = await open.catch((error: unknown) => {
        open = null
        throw error
      })
      const [stream] = task.streams
      if (stream === undefined) throw new RangeError('The task has a slice but no stream.')
      const member = await memberOf({ job: { ...task.message, values }, stream })
      const { tables, walk, source } = member
      const { chainCheckpoint } = task
      if (chainCheckpoint !== null && !chainCheckpoints.has(JSON.stringify([stream, chainCheckpoint]))) {
        await verifyChainCheckpoint(member, chainCheckpoint, stop)
        chainCheckpoints.add(JSON.stringify([stream, chainCheckpoint]))
      }
      thread.renew()
      const sliced = { kind: 'range', endpoint: theNode, ...walk, ...slice, source: async () => source } as const
      // The end of the slice was the head when it was planned, whatever the node of this worker has by now.
      const run = { ...lakeRun, head: slice.to - 1 }
      const job = { name: task.job, pipeline, values: task.message.values }
      // In this thread only, because there are many workers.
      const declared = { stream, tables, walk: sliced }
      const { result, failure } = await runJob(job, [declared], { ...run, stop, connections, threads: null })
      if (failure !== null) throw failure
      return result
    },
    /** Ends the run; the next slice begins a new one. `failed`: the run may have left files. */
    async renew(outcome: 'done' | 'failed'): Promise<void> {
      const opened = await open?.catch(() => null)
      open = null
      await opened?.lakeRun.lookup.close()
      await opened?.run.end(outcome)
    },
    async close(): Promise<void> {
      await thread.close()
      await connections.close()
    },
  }
}

/** Throws ConfigError when the node of this worker is in another network than the task. */
async function verifyNode(
  planned: NetworkIdentity | null,
  { facts }: ReturnType<typeof createConnections>,
): Promise<void> {
  if (planned === null) return
  const own = await facts.node()
  const same = own.network === planned.network && own.networkId === planned.networkId
  if (same && planned.chains.every((chain) => own.chains.some((other) => other.blockchainId === chain.blockchainId)))
    return
  throw new ConfigError('The node of this worker is in another network than the task.', {
    code: 'work.node-network',
    details: { 'network of the task': planned.network, 'network of the node': own.network },
    hint: 'Start the worker with the --node-url of a node in the network of the task.',
  })
}

/**
 * Reads complete streams, as a run of their job does. The next attempt resumes from the last commit. `takesOver`: from an earlier attempt that
 * still holds the streams, such as that of a frozen worker. The catalog refuses its commits from then on.
 */
export async function doStreams(
  task: Task,
  { id, takesOver }: { readonly id: string; readonly takesOver: boolean },
  { untilDone: _, urls: known, pipelines = [], ...options }: WorkerOptions,
): Promise<JobResult> {
  const pipeline = taskPipeline(task.message, pipelines)
  const { jobs } = await runPipelines({
    ...options,
    jobs: [{ name: task.job, pipeline, values: knownValues(task, known) }],
    task: {
      id,
      streams: new Map(task.streams.map((stream, at) => [streamId(stream), task.bounds?.[at] ?? null])),
      takesOver,
    },
  })
  const [result] = jobs
  if (result === undefined) throw options.stop.reason
  return result
}

/** What happens to a task after an error. */
type Verdict =
  /** This worker cannot do it, and leaves it to others. */
  | { readonly kind: 'unfit' }
  | { readonly kind: 'postponed'; readonly postponed: Postponement }
  /** It is tried again. `renews`: this worker must register again before its next commit. */
  | { readonly kind: 'retry'; readonly renews: boolean }
  | { readonly kind: 'failed' }

/** The database considers this process dead, or its connection with the lock was closed. */
const unregistered = ['catalog.lock-lost', 'catalog.run-ended']

/** What another process has, or may have, committed in the meantime: the rest of a task is planned again. */
const overtaken: readonly (ErrorKind | null)[] = ['conflict', 'overtaken', 'uncertain']

function isOvertaken(error: unknown): boolean {
  return overtaken.includes(errorKind(error))
}

export function judgeFailure(error: unknown): Verdict {
  const again = { kind: 'retry', renews: false } as const
  if (isOvertaken(error)) return again
  if (!(error instanceof ChainlakeError)) {
    const isOfSystem = error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
    return isOfSystem ? again : { kind: 'failed' }
  }
  if (error instanceof PostponedError) return { kind: 'postponed', postponed: postponementOf(error) }
  if (unregistered.includes(error.code)) return { kind: 'retry', renews: true }
  if (error.kind === 'unfit') return { kind: 'unfit' }
  return error.retryable || mayDifferElsewhere.some((each) => error instanceof each) ? again : { kind: 'failed' }
}

/** Another worker may have the right configuration, a better source or a disk that is not full; a stream becomes free. */
const mayDifferElsewhere = [ConfigError, StreamTakenError, TransportError, StorageError]

export type TaskEnd = {
  /**
   * `done`: this process committed something, and nothing is left. `nothing`: nothing was left to do. `taken`: another run writes the
   * stream. `overtaken`: another process kept committing the same slices. `postponed`: not before `resumeAt`. `interrupted`: by a signal;
   * what is complete is committed.
   */
  readonly is: 'done' | 'nothing' | 'taken' | 'overtaken' | 'postponed' | 'interrupted'
  readonly rows: number
  readonly resumeAt: string | null
  readonly reason: string | null
}

/** Times that a slice is planned again when another process commits parts of it. */
const mostPlans = 5

/**
 * Does one task, through the same code as a worker, without a queue: the catalog alone decides which commits count. Two processes that do
 * the same task leave the same rows. It publishes nothing.
 */
export async function runTask(task: Task, options: WorkerOptions): Promise<TaskEnd> {
  const { lake, stop } = options
  const catalog = await openCatalog(lake, declaredTables, { stop })
  verifyTask(task, (await catalog.snapshot()).lakeId)
  try {
    return endOf(
      task.slice === null
        ? await doStreams(task, { id: taskKey(task), takesOver: false }, options)
        : await sliceOf(task, task.slice, options),
    )
  } catch (error) {
    const end = { rows: 0, resumeAt: null, reason: error instanceof Error ? error.message : null }
    if (error instanceof PostponedError) return { is: 'postponed', ...end, ...postponementOf(error) }
    if (error instanceof StreamTakenError) return { is: 'taken', ...end }
    if (isOvertaken(error)) return { is: 'overtaken', ...end }
    if (isStop(error, stop)) return { is: 'interrupted', ...end }
    throw error
  }
}

async function sliceOf(task: Task, slice: NonNullable<Task['slice']>, options: WorkerOptions): Promise<JobResult> {
  const slices = createSliceWorker(options, `task ${taskKey(task)}, ${process.pid} of ${hostname()}`)
  let outcome: 'done' | 'failed' = 'failed'
  try {
    for (let plans = 1; ; plans++)
      try {
        const result = await slices.work(task, slice, options.stop)
        outcome = 'done'
        return result
      } catch (error) {
        if (!isOvertaken(error) || plans === mostPlans) throw error
      }
  } finally {
    await slices.renew(outcome)
    await slices.close()
  }
}

function endOf({ tables, upToDate, postponed, interrupted }: JobResult): TaskEnd {
  const end = { rows: sumOf(tables, 'rows'), resumeAt: postponed?.resumeAt ?? null, reason: postponed?.reason ?? null }
  if (postponed !== null) return { is: 'postponed', ...end }
  if (interrupted) return { is: 'interrupted', ...end }
  return { is: upToDate ? 'nothing' : 'done', ...end }
}
