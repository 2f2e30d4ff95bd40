import { ChainlakeError, ConfigError } from '../../errors.ts'
import { republishLake } from '../lake-status.ts'
import { waitUnlessStopped } from '../wait.ts'
import { doStreams } from './do-streams.ts'
import { judgeFailure } from './judge-failure.ts'
import { openQueue, type Queue, type TakenTask } from './queue.ts'
import { createSliceWorker, type SliceWorker } from './slice-worker.ts'
import { taskText } from './task.ts'
import type { WorkerOptions } from './worker-options.ts'

/** What a worker did with tasks. */
export type WorkerSummary = {
  readonly done: number
  /** Left to others, or to be gone on with later. */
  readonly givenBack: number
  readonly failed: number
  readonly rows: number
}

/** How often an empty queue is asked. */
const pollMs = 1_000
/** How long a worker rests that could not do a task since it was told something wrong, and how long at most. */
const [firstRestMs, longestRestMs] = [10_000, 300_000]
/** A worker says several times within its lease that it lives. */
const beatsPerLease = 4

type Ending = keyof Omit<WorkerSummary, 'rows'>
/** `isUnfit`: the worker was told something wrong, and others may do what it cannot. */
type Outcome = { readonly ending: Ending; readonly rows: number; readonly isUnfit?: true }

/** Does the tasks of a lake until `stop`, or until there are none. What it was about then is committed as far as it is whole. */
export async function work(url: string, options: WorkerOptions): Promise<WorkerSummary> {
  const { lakeDir, stop, emit } = options
  const warn = (message: string, error: unknown): void =>
    emit({ kind: 'warning', message, details: { reason: error instanceof Error ? error.message : String(error) } })
  const queue = await openQueue(url, (error) => warn('The queue says that something is wrong.', error))
  const slices = createSliceWorker(options, queue)
  const summary = { done: 0, givenBack: 0, failed: 0, rows: 0 }
  let isBehind = false
  let isDown = false
  let restMs = 0

  /** What several tasks have committed is shown when there is nothing better to do. */
  const show = async (): Promise<void> => {
    if (!isBehind) return
    isBehind = false
    await republishLake(lakeDir, { stop }).catch((error: unknown) => {
      if (!stop.aborted) warn('The views could not be written; the next ones show it all.', error)
    })
  }
  const next = async (): Promise<TakenTask | null> => {
    try {
      const taken = await queue.take()
      if (isDown) emit({ kind: 'notice', message: 'The queue answers again.' })
      isDown = false
      return taken
    } catch (error) {
      if (!isDown) warn('The queue cannot be reached; it is asked until it can.', error)
      isDown = true
      return null
    }
  }
  try {
    while (!stop.aborted) {
      const taken = await next()
      if (taken === null) {
        if (!isDown) await show()
        if (options.untilDone && !isDown && (await queue.open()) === 0) break
        await waitUnlessStopped(pollMs, stop)
        continue
      }
      const { ending, rows, isUnfit } = await doTask(taken, { queue, slices, options })
      summary[ending]++
      summary.rows += rows
      isBehind ||= rows > 0
      restMs = isUnfit ? Math.min(Math.max(2 * restMs, firstRestMs), longestRestMs) : 0
      // It would take what it cannot do away from those who can, again and again.
      await waitUnlessStopped(restMs, stop)
    }
    return summary
  } finally {
    await slices.renew(summary.failed + summary.givenBack > 0 ? 'failed' : 'done').catch(() => undefined)
    await slices.close()
    await queue.close().catch(() => undefined)
  }
}

type Tools = { readonly queue: Queue; readonly slices: SliceWorker; readonly options: WorkerOptions }

async function doTask(taken: TakenTask, tools: Tools): Promise<Outcome> {
  const { attempt, task } = taken
  const { queue, slices, options } = tools
  const { emit } = options
  const losing = new AbortController()
  const stop = AbortSignal.any([options.stop, losing.signal])
  const endBeats = keepBeating(taken, queue, () => losing.abort(new Error('The task was given to another worker.')))
  const settle = async (settled: Promise<boolean>): Promise<void> => {
    // Who cannot say what became of a task leaves it: when its lease is over another worker finds out.
    const isOwn = await settled.catch(() => false)
    if (!isOwn) emit({ kind: 'notice', message: `${taskText(task)}: another worker has it by now.` })
  }
  let rows = 0
  try {
    const { slice } = task
    const { result, isCommitted } =
      slice === null
        ? { result: await doStreams(taken, queue, { ...options, stop }), isCommitted: false }
        : await slices.work(taken, slice, stop)
    rows = result.tables.reduce((sum, table) => sum + table.rows, 0)
    endBeats()
    if (isCommitted) return { ending: 'done', rows }
    if (result.postponed !== null || result.interrupted) {
      await settle(queue.giveBack(attempt, result.postponed))
      return { ending: 'givenBack', rows }
    }
    await settle(queue.complete(attempt, result))
    return { ending: 'done', rows }
  } catch (error) {
    endBeats()
    const verdict = stop.aborted && error === stop.reason ? null : judgeFailure(error)
    if (verdict === null) await settle(queue.giveBack(attempt, null))
    else if (verdict.kind === 'later') await settle(queue.giveBack(attempt, verdict.postponed))
    else if (verdict.kind === 'again') {
      tell(taken, error, 'it is tried again', options)
      await settle(queue.tryAgain(attempt, error))
    } else if (verdict.kind === 'never') {
      tell(taken, error, 'it is given up', options)
      await settle(queue.giveUp(attempt, error))
    } else tell(taken, error, 'it is left to that one', options)
    if (verdict?.kind === 'again' && verdict.renews) await slices.renew('failed').catch(() => undefined)
    const ending = verdict === null || verdict.kind === 'later' ? 'givenBack' : 'failed'
    return { ending, rows, ...(verdict !== null && error instanceof ConfigError ? { isUnfit: true } : {}) }
  }
}

function tell({ task }: TakenTask, error: unknown, what: string, { emit }: WorkerOptions): void {
  const message = error instanceof Error ? error.message : String(error)
  const details = error instanceof ChainlakeError ? error.details : {}
  emit({ kind: 'warning', message: `${taskText(task)}: ${message} (${what})`, details })
}

/**
 * Says that the worker lives, until the returned function is called. One who could not say so for a whole lease has lost the task, as has
 * one who hears that it is another's.
 */
function keepBeating({ attempt, leaseSeconds }: TakenTask, queue: Queue, lost: () => void): () => void {
  let saidMs = performance.now()
  const beat = async (): Promise<void> => {
    const beganMs = performance.now()
    try {
      if (!(await queue.beat(attempt))) lost()
      else saidMs = beganMs
    } catch {
      if (performance.now() - saidMs > leaseSeconds * 1000) lost()
    }
  }
  const timer = setInterval(() => void beat(), (leaseSeconds * 1000) / beatsPerLease)
  return () => clearInterval(timer)
}
