import { Worker } from 'node:worker_threads'
import { ChainlakeError } from '../../errors.ts'
import { definedOf, getOrCreate } from '../../lib/arrays.ts'
import { workerFile } from '../../lib/package.ts'
import { stepCounts } from '../../lib/step.ts'
import type { Stream } from '../../model.ts'
import type { StorePlace } from '../../store/store.ts'
import { type ErrorParts, revivedError } from '../error-parts.ts'
import type { EmitEvent, RunEvent } from '../events.ts'
import type { JobMessage, NodeOptions, SharedEndpoints } from '../job.ts'
import type { Batch } from '../rows/commit-batch.ts'
import type { Run } from '../rows/lake-run.ts'
import type { PlannedSlice } from './plan-slices.ts'
import type { ReadProgress } from './read-slices.ts'

/** A slice of a stream to read, as plain data that any thread understands. It holds no secrets: a thread gets the URLs when it starts. */
export type SliceTask = Pick<PlannedSlice, 'slice' | 'tables' | 'follows'> & {
  readonly job: JobMessage
  readonly stream: Stream
}

/** Data for a thread at its start. Secrets are passed here only. */
export type ThreadStart = {
  /** Part of the file names. */
  readonly runId: string
  readonly store: StorePlace
  readonly node: Omit<NodeOptions, 'concurrency' | 'threads'>
  /** The endpoints that each `HiddenUrl` of a message refers to. */
  readonly endpoints: SharedEndpoints
  /** A batch ends early when it takes longer than this (milliseconds). */
  readonly commitEveryMs: number
  readonly partCount: SharedArrayBuffer
  /** See `countStepsIn`. */
  readonly stepCounts: SharedArrayBuffer
}

export type ToSliceThread =
  /** Begins a walk. `concurrency`: the maximum number of concurrent requests of this thread. */
  | { readonly kind: 'begin'; readonly concurrency: number }
  | { readonly kind: 'task'; readonly at: number; readonly task: SliceTask }
  /** No more tasks follow. The walk ends when all are done. */
  | { readonly kind: 'end' }
  /** The walk ends as soon as possible and keeps the complete prefix of its slice. */
  | { readonly kind: 'stop' }

export type FromSliceThread =
  | {
      readonly kind: 'batch'
      readonly at: number
      readonly batch: Batch
      /** It ends where its slice does. */
      readonly isWhole: boolean
      /** It ended early because a commit was due: it must not wait for earlier slices. */
      readonly isDue: boolean
    }
  | { readonly kind: 'read'; readonly progress: ReadProgress }
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The walk has ended in this thread. `error`: the failure that ended it early. */
  | { readonly kind: 'ended'; readonly error: ErrorParts | null }

type Thread = {
  readonly worker: Worker
  /** Handles messages of the thread during a walk; null when no walk is in progress. */
  onMessage: ((message: FromSliceThread | Error) => void) | null
}

type ThreadsOptions = NodeOptions &
  Pick<ThreadStart, 'runId' | 'store' | 'endpoints' | 'commitEveryMs'> & {
    readonly concurrency: number
    readonly partCount: Int32Array<SharedArrayBuffer>
    readonly emit: EmitEvent
  }

export type JobThreads = {
  /** The number of threads for this many coordinates; 1: only the calling thread. */
  readonly threadsFor: (coordinates: number) => number
  /**
   * Reads slices in this many threads, and passes on their batches in the order of the slices. A batch that is due does not wait for earlier
   * slices. After `stop` or a failure all complete prefixes are committed; missing slices are gaps, which the next run plans again.
   * Throws the first failure.
   */
  readonly read: (
    slices: Iterable<PlannedSlice>,
    count: number,
    listener: BatchListener,
    stop: AbortSignal,
  ) => Promise<void>
}

/** A run as walks of ranges get it. `threads` is null for a job that runs in this thread only. */
export type RangeRun = Run & { readonly threads: JobThreads | null }

/** The main thread, which alone has the catalog. */
type BatchListener = {
  readonly read: (progress: ReadProgress) => void
  readonly commit: (batch: Batch) => Promise<void>
  /** Removes the files of a batch after a failed commit. */
  readonly drop: (batch: Batch) => Promise<void>
}

/** Slices that a thread has at the same time: it fetches the next one while it finishes the previous one. */
const slicesAtOnce = 2
/** Slices per thread that may be done or in progress without being committed. */
const slicesAhead = 4

/** The young generation is as large as in the main thread. Half of it would save 20 MiB per thread and cost CPU time. */
const nursery = { maxYoungGenerationSizeMb: 48 } as const

export function createSliceThreads(options: ThreadsOptions) {
  const { concurrency, emit } = options
  const threads: Thread[] = []

  const startThread = (): Thread => {
    const worker = new Worker(workerFile(new URL('./slice-thread.js', import.meta.url)), {
      workerData: startOf(options),
      resourceLimits: nursery,
    })
    const thread: Thread = { worker, onMessage: null }
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1)
      thread.onMessage?.(deathOf(cause))
    })
    worker.on('message', (message: FromSliceThread) => {
      if (message.kind === 'event') emit(message.event)
      else thread.onMessage?.(message)
    })
    threads.push(thread)
    return thread
  }
  const started = (count: number): Thread[] => {
    while (threads.length < count) startThread()
    return threads.slice(0, count)
  }

  return {
    /** See `JobThreads`. */
    read: (job: JobMessage, ...[slices, count, listener, stop]: Parameters<JobThreads['read']>): Promise<void> =>
      distribute(tasksOf(slices, job), { threads: started(count), concurrency, listener, stop }),
    /** Ends the threads. A later walk starts new ones. */
    async close(): Promise<void> {
      await Promise.all(threads.splice(0).map(({ worker }) => worker.terminate()))
    },
  }
}

function* tasksOf(slices: Iterable<PlannedSlice>, job: JobMessage): Generator<SliceTask, void, undefined> {
  for (const { member, slice, tables, follows } of slices) yield { job, stream: member.stream, slice, tables, follows }
}

/** Only the options that threads need: jobs and profiles contain functions and API keys. */
function startOf(options: ThreadsOptions): ThreadStart {
  const { runId, store, endpoints, commitEveryMs, partCount } = options
  const { nodeUrl, requestTimeoutMs, tries, maxWaitMs } = options
  return {
    runId,
    store,
    node: { nodeUrl, ...definedOf({ requestTimeoutMs, tries, maxWaitMs }) },
    endpoints,
    commitEveryMs,
    partCount: partCount.buffer,
    stepCounts: stepCounts(),
  }
}

type Walk = {
  readonly threads: readonly Thread[]
  /** Maximum number of concurrent requests of all threads together, which share them. */
  readonly concurrency: number
  readonly listener: BatchListener
  readonly stop: AbortSignal
}

/** Gives tasks to threads as they become idle: see `JobThreads.read`. */
async function distribute(tasks: Iterable<SliceTask>, { threads, concurrency, listener, stop }: Walk): Promise<void> {
  const remaining = tasks[Symbol.iterator]()
  const assigned = threads.map(() => 0)
  const order = createCommitOrder<{ readonly batch: Batch; readonly isWhole: boolean }>()
  let next = 0
  let uncommitted = 0
  let isExhausted = false
  let failure: { readonly error: unknown } | null = null
  let committing: Promise<void> = Promise.resolve()
  let isBroken = false
  const isEnding = (): boolean => failure !== null || stop.aborted

  const post = (at: number, message: ToSliceThread): void => threads[at]!.worker.postMessage(message)
  const postAll = (message: ToSliceThread): void => {
    for (const at of threads.keys()) post(at, message)
  }
  const stopAll = (): void => postAll({ kind: 'stop' })
  const fail = (error: unknown): void => {
    if (!isEnding()) stopAll()
    failure ??= { error }
  }
  /** Gives the next tasks to the threads with the fewest slices. */
  const assign = (): void => {
    while (!isEnding() && !isExhausted && uncommitted < threads.length * slicesAhead) {
      const least = assigned.indexOf(Math.min(...assigned))
      if (assigned[least]! >= slicesAtOnce) return
      const { done, value: task } = remaining.next()
      if (done === true) {
        isExhausted = true
        postAll({ kind: 'end' })
        return
      }
      assigned[least]!++
      uncommitted++
      post(least, { kind: 'task', at: next++, task })
    }
  }
  /** After a failed commit nothing more is committed. */
  const commit = async (batch: Batch, isWhole: boolean): Promise<void> => {
    if (isBroken) return listener.drop(batch)
    try {
      await listener.commit(batch)
    } catch (error) {
      isBroken = true
      fail(error)
      return
    }
    if (!isWhole) return
    uncommitted--
    assign()
  }
  const commitAll = (due: ReturnType<typeof order.due>): void => {
    for (const { batch, isWhole } of due) committing = committing.then(() => commit(batch, isWhole))
  }
  const take = (from: number, { at, batch, isWhole, isDue }: Extract<FromSliceThread, { kind: 'batch' }>): void => {
    order.add(at, { batch, isWhole }, isWhole)
    commitAll(isDue ? order.all() : order.due())
    if (!isWhole) return
    assigned[from]!--
    assign()
  }
  /** Handles a message of a thread; returns true when the walk has ended in that thread. */
  const handle = (from: number, message: FromSliceThread | Error): boolean => {
    if (message instanceof Error) {
      fail(message)
      return true
    }
    if (message.kind === 'batch') take(from, message)
    if (message.kind === 'read') listener.read(message.progress)
    if (message.kind !== 'ended') return false
    if (message.error !== null) fail(revivedError(message.error))
    return true
  }

  const ends = threads.map(
    (thread, from) =>
      new Promise<void>((resolve) => {
        thread.onMessage = (message) => {
          if (handle(from, message)) resolve()
        }
      }),
  )
  stop.addEventListener('abort', stopAll, { once: true })
  try {
    for (const at of threads.keys())
      post(at, { kind: 'begin', concurrency: Math.max(1, Math.floor((concurrency + at) / threads.length)) })
    if (stop.aborted) stopAll()
    assign()
    await Promise.all(ends)
  } finally {
    stop.removeEventListener('abort', stopAll)
    for (const thread of threads) thread.onMessage = null
    commitAll(order.all())
    await committing
  }
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}

function deathOf(cause: unknown): ChainlakeError {
  const reason = cause instanceof Error ? cause.message : 'it exited'
  return new ChainlakeError(`A worker thread of a range crashed: ${reason}`, 1, 'thread.died', {
    hint: 'Completed parts are committed. Run again; if the crash repeats, use fewer --threads.',
    cause,
  })
}

/** Puts the batches of slices, which are numbered from 0, into the order of their commits. */
export function createCommitOrder<P>() {
  const waiting = new Map<number, P[]>()
  const whole = new Set<number>()
  let first = 0

  const take = (slice: number): P[] => {
    const batches = waiting.get(slice) ?? []
    waiting.delete(slice)
    return batches
  }
  const due = (): P[] => {
    const batches = take(first)
    while (whole.delete(first)) batches.push(...take(++first))
    return batches
  }
  return {
    /** Adds a batch of a slice. The batches of one slice arrive in order. */
    add(slice: number, batch: P, isWhole: boolean): void {
      getOrCreate(waiting, slice, () => []).push(batch)
      if (isWhole) whole.add(slice)
    },
    /** The batches that are next in order: all earlier slices are complete. */
    due,
    /** All batches in order. Missing slices between them become gaps. */
    all: (): P[] => [...due(), ...[...waiting.keys()].sort((a, b) => a - b).flatMap(take)],
  }
}
