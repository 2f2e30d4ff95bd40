import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { RowsOf, Tables } from '../../define/index.ts'
import { workerFile } from '../../lib/files/worker-file.ts'
import { threadLimits } from '../../lib/thread-limits.ts'
import { revivedError } from '../job/error-parts.ts'
import type { DecodeAnswer, DecodeRequest, OutputName } from './decode-messages.ts'

/** Threads for decoding that is too expensive for the main thread. They start when there is something to decode. */
export type DecodeThreads = {
  /** Returns the rows of each record. Throws the error of the decoder. */
  decode(output: OutputName, records: readonly unknown[], context: unknown): Promise<readonly RowsOf<Tables>[]>
  /** Ends the threads. Requests in progress fail. */
  close(): Promise<void>
}

type PendingRequest = { resolve: (rows: readonly RowsOf<Tables>[]) => void; reject: (error: unknown) => void }
type Thread = { readonly worker: Worker; readonly pending: Map<number, PendingRequest> }

/** A thread takes about 25 MiB. With two threads a run of all pipelines takes 507 MiB; the limit is 512 MiB. */
const mostThreads = 2

/** One thread fewer than processors, at least one and at most two. */
export function threadCount(processors: number): number {
  return Math.min(mostThreads, Math.max(1, processors - 1))
}

/** `count`: the number of threads; the default depends on the processors of the machine. */
export function createDecodeThreads(count: number = threadCount(availableParallelism())): DecodeThreads {
  const threads: Thread[] = []
  let requests = 0

  /** The thread with the fewest pending requests. */
  const idlest = (): Thread => {
    const known = threads.reduce<Thread | null>(
      (least, thread) => (least === null || thread.pending.size < least.pending.size ? thread : least),
      null,
    )
    if (known !== null && (known.pending.size === 0 || threads.length >= count)) return known
    const thread = startThread()
    threads.push(thread)
    // A thread that has died would never respond.
    thread.worker.on('exit', () => {
      if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1)
    })
    return thread
  }

  return {
    decode(output, records, context) {
      const { worker, pending } = idlest()
      const request: DecodeRequest = { id: requests++, output, records, context }
      return new Promise((resolve, reject) => {
        pending.set(request.id, { resolve, reject })
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
  const pending = new Map<number, PendingRequest>()
  let cause: unknown = new Error('A decoding thread ended.')
  worker.on('message', (answer: DecodeAnswer) => {
    const { resolve, reject } = pending.get(answer.id)!
    pending.delete(answer.id)
    if ('rows' in answer) resolve(answer.rows)
    else reject(revivedError(answer.failure))
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => {
    for (const { reject } of pending.values()) reject(cause)
    pending.clear()
  })
  return { worker, pending }
}
