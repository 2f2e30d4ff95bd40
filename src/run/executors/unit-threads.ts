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
  /** What hears the thread while a walk is under way; null when it has ended. */
  hear: ((message: FromUnitThread | Error) => void) | null
}

export type UnitThreadsOptions = NodeOptions &
  Pick<ThreadStart, 'store' | 'places' | 'commitEveryMs'> & {
    readonly concurrency: number
    readonly partCount: Int32Array<SharedArrayBuffer>
    readonly emit: EmitEvent
  }

/** Units that a thread has at the same time: it fetches the next one while it ends the one before. */
const unitsAtOnce = 2
/** Units for each thread that are done or under way, and not committed. */
const unitsAhead = 4

/** As large as that of the main thread: half of it saves 20 MiB for each thread, and costs CPU. */
const nursery = { maxYoungGenerationSizeMb: 48 } as const

export function createUnitThreads(options: UnitThreadsOptions): UnitThreads {
  const { concurrency, emit } = options
  const threads: Thread[] = []

  const startThread = (): Thread => {
    const worker = new Worker(workerFile(new URL('./unit-worker.js', import.meta.url)), {
      workerData: startOf(options),
      resourceLimits: nursery,
    })
    const thread: Thread = { worker, hear: null }
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1)
      thread.hear?.(deathOf(cause))
    })
    worker.on('message', (message: FromUnitThread) => {
      if (message.kind === 'event') emit(message.event)
      else thread.hear?.(message)
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
        share(units, { threads: started(count), shares: sharesOf(concurrency, count), listener, stop }),
    }),
    async close() {
      await Promise.all(threads.splice(0).map(({ worker }) => worker.terminate()))
    },
  }
}

/** Of the options those that threads need, and no other: jobs and profiles hold functions, and keys of services. */
function startOf(options: UnitThreadsOptions): ThreadStart {
  const { store, places, commitEveryMs, partCount } = options
  const { nodeUrl, requestTimeoutMs, tries, maxWaitMs } = options
  return {
    store,
    node: {
      nodeUrl,
      ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
      ...(tries === undefined ? {} : { tries }),
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    },
    places,
    commitEveryMs,
    partCount: partCount.buffer,
    stepCounts: stepCounts(),
  }
}

/** Requests that each thread may have under way. */
function sharesOf(concurrency: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => Math.max(1, Math.floor((concurrency + at) / count)))
}

type Walk = {
  readonly threads: readonly Thread[]
  readonly shares: readonly number[]
  readonly listener: UnitListener
  readonly stop: AbortSignal
}

/** Gives units to threads as they have room; the first failure, or `stop`, ends them all, each with what it has. */
async function share(units: Iterable<UnitMessage>, { threads, shares, listener, stop }: Walk): Promise<void> {
  const given = units[Symbol.iterator]()
  /** How many units each thread has. */
  const held = threads.map(() => 0)
  let next = 0
  let uncommitted = 0
  let isExhausted = false
  let failure: { readonly error: unknown } | null = null
  const isEnding = (): boolean => failure !== null || stop.aborted

  const post = (at: number, message: ToUnitThread): void => threads[at]!.worker.postMessage(message)
  const endAll = (): void => {
    for (const at of threads.keys()) post(at, { kind: 'stop' })
  }
  const fail = (error: unknown): void => {
    if (!isEnding()) endAll()
    failure ??= { error }
  }
  /** The thread that has least to do gets the next unit. */
  const give = (): void => {
    while (!isEnding() && !isExhausted && uncommitted < threads.length * unitsAhead) {
      const least = held.indexOf(Math.min(...held))
      if (held[least]! >= unitsAtOnce) return
      const { done, value: unit } = given.next()
      if (done === true) {
        isExhausted = true
        for (const at of threads.keys()) post(at, { kind: 'end' })
        return
      }
      held[least]!++
      uncommitted++
      post(least, { kind: 'unit', at: next++, unit })
    }
  }
  const take = (from: number, { at, piece, isWhole }: Extract<FromUnitThread, { kind: 'piece' }>): void => {
    const committed = listener.piece(at, piece, isWhole)
    committed.catch(fail)
    if (!isWhole) return
    held[from]!--
    void committed
      .then(() => {
        uncommitted--
        give()
      })
      .catch(() => undefined)
    give()
  }

  const ends = threads.map((thread, from) => {
    return new Promise<void>((resolve) => {
      thread.hear = (message) => {
        if (message instanceof Error) {
          fail(message)
          resolve()
        } else if (message.kind === 'piece') take(from, message)
        else if (message.kind === 'read') listener.read(message.progress)
        else if (message.kind === 'ended') {
          if (message.error !== null) fail(revivedError(message.error))
          resolve()
        }
      }
    })
  })
  stop.addEventListener('abort', endAll, { once: true })
  try {
    for (const [at, concurrency] of shares.entries()) post(at, { kind: 'begin', concurrency })
    if (stop.aborted) endAll()
    give()
    await Promise.all(ends)
  } finally {
    stop.removeEventListener('abort', endAll)
    for (const thread of threads) thread.hear = null
  }
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}

function deathOf(cause: unknown): ChainlakeError {
  const text = cause instanceof Error ? cause.message : 'it ended'
  return new ChainlakeError(`A thread that did units of a range died: ${text}`, 1, 'thread.died', {
    hint: 'What was whole is committed: run again, and with fewer --threads if it comes back.',
    cause,
  })
}
