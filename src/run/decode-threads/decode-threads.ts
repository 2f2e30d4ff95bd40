import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { RowsOf, Tables } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { workerFile } from '../../lib/files/worker-file.ts'
import { threadLimits } from '../../lib/thread-limits.ts'
import type { DecodeAnswer, DecodeRequest, OutputName } from './decode-messages.ts'

/** Threads that decode what costs too much for the main one; started when there is something to decode. */
export type DecodeThreads = {
  /** Rows of each of the records. Throws `DecodeError` as the decoder does. */
  decode(output: OutputName, records: readonly unknown[], context: unknown): Promise<readonly RowsOf<Tables>[]>
  /** Ends the threads; what is under way fails. */
  close(): Promise<void>
}

type Waiting = { resolve: (rows: readonly RowsOf<Tables>[]) => void; reject: (error: unknown) => void }
type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> }

/** A thread takes some 25 MiB: with two, a run of everything that there is takes 507 MiB, where it may take 512. */
const mostThreads = 2

/** One thread less than there are processors, at least one and at most two. */
export function threadCount(processors: number): number {
  return Math.min(mostThreads, Math.max(1, processors - 1))
}

/** `count`: threads; by default as many as the machine has processors for. */
export function createDecodeThreads(count: number = threadCount(availableParallelism())): DecodeThreads {
  const threads: Thread[] = []
  let requests = 0

  /** The one with the least to do. */
  const idlest = (): Thread => {
    const known = threads.reduce<Thread | null>(
      (least, thread) => (least === null || thread.waiting.size < least.waiting.size ? thread : least),
      null,
    )
    if (known !== null && (known.waiting.size === 0 || threads.length >= count)) return known
    const thread = startThread()
    threads.push(thread)
    // What is asked of a thread that has died would never be answered.
    thread.worker.on('exit', () => {
      if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1)
    })
    return thread
  }

  return {
    decode(output, records, context) {
      const { worker, waiting } = idlest()
      const request: DecodeRequest = { id: requests++, output, records, context }
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve, reject })
        worker.postMessage(request)
      })
    },
    async close() {
      await Promise.all(threads.splice(0).map(({ worker }) => worker.terminate()))
    },
  }
}

function startThread(): Thread {
  const worker = new Worker(workerFile(new URL('./decode-worker.js', import.meta.url)), {
    resourceLimits: threadLimits,
  })
  const waiting = new Map<number, Waiting>()
  let cause: unknown = new Error('A decoding thread ended.')
  worker.on('message', (answer: DecodeAnswer) => {
    const { resolve, reject } = waiting.get(answer.id)!
    waiting.delete(answer.id)
    if ('rows' in answer) resolve(answer.rows)
    else {
      const { message, hint, ...rest } = answer.failure
      reject(new DecodeError(message, { ...rest, ...(hint === undefined ? {} : { hint }) }))
    }
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => {
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
  })
  return { worker, waiting }
}
