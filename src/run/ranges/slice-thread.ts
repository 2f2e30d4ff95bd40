import { parentPort, workerData } from 'node:worker_threads'
import { countStepsIn } from '../../lib/step.ts'
import { findPipeline } from '../../pipeline-modules/find-pipeline.ts'
import { openStore } from '../../store/store-kinds.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { type Connections, createConnections } from '../connections/connections.ts'
import { aboveFloor } from '../disk-space.ts'
import { errorParts } from '../error-parts.ts'
import { cooldownIn } from '../job.ts'
import { newRows } from '../rows/commit-batch.ts'
import type { LakeRun, RangeMember } from '../rows/lake-run.ts'
import { createMemberOpener, type PlannedSlice, windowsAhead } from './plan-slices.ts'
import { createSliceQueue, readSlices } from './read-slices.ts'
import type { FromSliceThread, SliceTask, ThreadStart, ToSliceThread } from './threads.ts'

/** What all tasks of the walk share. */
type ThreadRun = Pick<LakeRun, 'runId' | 'concurrency' | 'commitEveryMs' | 'store' | 'thread' | 'nextPart'> & {
  readonly memberOf: ReturnType<typeof createMemberOpener>
  readonly send: (message: FromSliceThread) => void
}

export function sliceOf({ slice, tables, follows }: SliceTask, member: RangeMember): PlannedSlice {
  return { member, source: member.source, slice, tables, read: slice, overlapping: [], follows }
}

/**
 * The part of a walk that runs in one thread: reads the slices of tasks as they arrive and sends a message when the walk has ended.
 */
export function beginThreadWalk({ memberOf, send, ...shared }: ThreadRun) {
  const stopping = new AbortController()
  const queue = createSliceQueue(stopping.signal)
  const numbers = new Map<PlannedSlice, number>()
  let reading: Promise<void> | null = null
  let opening: Promise<void> = Promise.resolve()
  let failure: unknown = null

  const fail = (error: unknown): void => {
    failure ??= error
    stopping.abort(new Error('A slice of the thread failed.'))
  }
  const read = (): Promise<void> => {
    const run = { ...shared, stop: stopping.signal }
    return readSlices(queue, run, {
      read: (progress) => send({ kind: 'read', progress }),
      rowsOf: (_, options, after) => newRows({ ...options, run }, after),
      deliver: async (batch, { last, ...ending }) => send({ kind: 'batch', at: numbers.get(last)!, batch, ...ending }),
    })
  }
  let hasEnded = false
  /** Sends the end once: the next walk of the thread sends its own. */
  const sendEnd = (): void => {
    if (!hasEnded) send({ kind: 'ended', error: failure === null ? null : errorParts(failure) })
    hasEnded = true
  }

  return {
    add(at: number, task: SliceTask): void {
      if (reading === null) {
        reading = read().catch(fail)
        void reading.then(sendEnd)
      }
      opening = opening
        .then(async () => {
          const planned = sliceOf(task, await memberOf(task))
          numbers.set(planned, at)
          queue.add(planned)
        })
        .catch(fail)
    },
    /** No more tasks will be added. */
    end(): void {
      if (reading === null) sendEnd()
      else void opening.then(queue.end)
    },
    /** Ends as soon as possible and keeps the complete prefix of the current slice. */
    stop(): void {
      if (reading === null) sendEnd()
      else stopping.abort(new Error('The thread received a stop message.'))
    },
  }
}

/** Reads slices in a thread: it fetches, decodes and writes files, and does not open the catalog. */
function serve(port: NonNullable<typeof parentPort>, start: ThreadStart): void {
  const { runId, store: storePlace, node, endpoints, commitEveryMs, partCount, stepCounts } = start
  const send = (message: FromSliceThread): void => port.postMessage(message)
  countStepsIn(stepCounts)
  const parts = new Int32Array(partCount)
  const store = aboveFloor(openStore(storePlace), storePlace.lake)
  const thread = createParquetThread()
  const nextPart = (): number => Atomics.add(parts, 0, 1)
  const shared = { runId, commitEveryMs, store, thread, nextPart, send }
  let connections: Connections | null = null
  let walk: ReturnType<typeof begin> | null = null

  const begin = (concurrency: number) => {
    thread.renew()
    void connections?.close()
    connections = createConnections({
      ...node,
      concurrency,
      emit: (event) => send({ kind: 'event', event }),
      // A thread is terminated without a last report.
      reportRequestsEveryMs: 0,
      cooldownOf: cooldownIn(endpoints),
    })
    const { connection } = connections
    const underWay = windowsAhead({ concurrency })
    const memberOf = createMemberOpener({ connection, urls: endpoints.urls, underWay, pipelineOf: findPipeline })
    return beginThreadWalk({ ...shared, concurrency, memberOf })
  }
  port.on('message', (message: ToSliceThread) => {
    if (message.kind === 'begin') walk = begin(message.concurrency)
    else if (message.kind === 'task') walk?.add(message.at, message.task)
    else if (message.kind === 'end') walk?.end()
    else walk?.stop()
  })
}

// Tests import this file without being such a thread.
if (parentPort !== null && (workerData as Partial<ThreadStart> | null)?.partCount !== undefined)
  serve(parentPort, workerData)
