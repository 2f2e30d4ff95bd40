import { Worker } from 'node:worker_threads'
import { ChainlakeError } from '../../errors.ts'
import { workerFile } from '../../lib/files/worker-file.ts'
import { stepCounts } from '../../lib/step.ts'
import { revivedError } from '../job/error-parts.ts'
import type { EmitEvent } from '../job/events.ts'
import type { NodeOptions } from '../job/job.ts'
import type { UnitListener, UnitThreads } from '../units/unit-executor.ts'
import type { UnitMessage } from '../units/unit-message.ts'
import { threadsFor } from './thread-count.ts'
import type { FromUnitThread, ThreadStart, ToUnitThread } from './thread-messages.ts'

type Thread = {
  readonly worker: Worker
  /** Handles messages of the thread during a walk; null when no walk is in progress. */
  onMessage: ((message: FromUnitThread | Error) => void) | null
}

type UnitThreadsOptions = NodeOptions &
  Pick<ThreadStart, 'store' | 'endpoints' | 'commitEveryMs'> & {
    readonly concurrency: number
    readonly partCount: Int32Array<SharedArrayBuffer>
    readonly emit: EmitEvent
  }

/** Units that a thread has at the same time: it fetches the next one while it finishes the previous one. */
const unitsAtOnce = 2
/** Units per thread that may be done or in progress without being committed. */
const unitsAhead = 4

/** The young generation is as large as in the main thread. Half of it would save 20 MiB per thread and cost CPU time. */
const nursery = { maxYoungGenerationSizeMb: 48 } as const

export function createUnitThreads(options: UnitThreadsOptions): UnitThreads {
  const { concurrency, emit } = options
  const threads: Thread[] = []

  const startThread = (): Thread => {
    const worker = new Worker(workerFile(new URL('./unit-worker.js', import.meta.url)), {
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
    worker.on('message', (message: FromUnitThread) => {
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
    threadsFor: (coordinates) => threadsFor({ threads: options.threads, concurrency }, coordinates),
    executor: (count) => ({
      execute: (units, listener, stop) =>
        distribute(units, { threads: started(count), requests: splitRequests(concurrency, count), listener, stop }),
    }),
    async close() {
      await Promise.all(threads.splice(0).map(({ worker }) => worker.terminate()))
    },
  }
}

/** Only the options that threads need: jobs and profiles contain functions and API keys. */
function startOf(options: UnitThreadsOptions): ThreadStart {
  const { store, endpoints, commitEveryMs, partCount } = options
  const { nodeUrl, requestTimeoutMs, tries, maxWaitMs } = options
  return {
    store,
    node: {
      nodeUrl,
      ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
      ...(tries === undefined ? {} : { tries }),
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    },
    endpoints,
    commitEveryMs,
    partCount: partCount.buffer,
    stepCounts: stepCounts(),
  }
}

/** Maximum number of concurrent requests of each thread. */
function splitRequests(concurrency: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => Math.max(1, Math.floor((concurrency + at) / count)))
}

type Walk = {
  readonly threads: readonly Thread[]
  /** Maximum number of concurrent requests of each thread. */
  readonly requests: readonly number[]
  readonly listener: UnitListener
  readonly stop: AbortSignal
}

/**
 * Gives units to threads as they become idle. The first failure, or `stop`, ends all threads; each keeps the complete prefix of its units.
 */
async function distribute(units: Iterable<UnitMessage>, { threads, requests, listener, stop }: Walk): Promise<void> {
  const remaining = units[Symbol.iterator]()
  /** Number of units in each thread. */
  const assigned = threads.map(() => 0)
  let next = 0
  let uncommitted = 0
  let isExhausted = false
  let failure: { readonly error: unknown } | null = null
  const isEnding = (): boolean => failure !== null || stop.aborted

  const post = (at: number, message: ToUnitThread): void => threads[at]!.worker.postMessage(message)
  const postAll = (message: ToUnitThread): void => {
    for (const at of threads.keys()) post(at, message)
  }
  const stopAll = (): void => postAll({ kind: 'stop' })
  const fail = (error: unknown): void => {
    if (!isEnding()) stopAll()
    failure ??= { error }
  }
  /** Gives the next units to the threads with the fewest units. */
  const assign = (): void => {
    while (!isEnding() && !isExhausted && uncommitted < threads.length * unitsAhead) {
      const least = assigned.indexOf(Math.min(...assigned))
      if (assigned[least]! >= unitsAtOnce) return
      const { done, value: unit } = remaining.next()
      if (done === true) {
        isExhausted = true
        postAll({ kind: 'end' })
        return
      }
      assigned[least]!++
      uncommitted++
      post(least, { kind: 'unit', at: next++, unit })
    }
  }
  const take = (from: number, { at, chunk, isWhole }: Extract<FromUnitThread, { kind: 'chunk' }>): void => {
    const committed = listener.chunk(at, chunk, isWhole)
    committed.catch(fail)
    if (!isWhole) return
    assigned[from]!--
    void committed
      .then(() => {
        uncommitted--
        assign()
      })
      .catch(() => undefined)
    assign()
  }
  /** Handles a message of a thread; returns true when the walk has ended in that thread. */
  const handle = (from: number, message: FromUnitThread | Error): boolean => {
    if (message instanceof Error) {
      fail(message)
      return true
    }
    if (message.kind === 'chunk') take(from, message)
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
    for (const [at, concurrency] of requests.entries()) post(at, { kind: 'begin', concurrency })
    if (stop.aborted) stopAll()
    assign()
    await Promise.all(ends)
  } finally {
    stop.removeEventListener('abort', stopAll)
    for (const thread of threads) thread.onMessage = null
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
