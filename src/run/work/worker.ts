import { hostname } from 'node:os'
import { ChainlakeError, ConfigError } from '../../errors.ts'
import { sumOf } from '../../lib/arrays.ts'
import { isWaitingOutside } from '../../lib/wait.ts'
import { waitUnlessStopped } from '../error-parts.ts'
import { publishLatest } from '../publish/publisher.ts'
import { createReach, openQueue, type Queue, type TakenTask } from './queue.ts'
import { createSliceWorker, doStreams, judgeFailure, type WorkerOptions, type WorkerSummary } from './run-task.ts'
import { taskText, verifyTask } from './task.ts'

/** Interval between queries of an empty queue. */
const pollMs = 1_000
/** First and longest pause of a worker that is misconfigured for a task. */
const [firstRestMs, longestRestMs] = [10_000, 300_000]

/** Runs the tasks of a lake until `stop`, or until there are none. At `stop` the complete prefix of the current task is committed. */
export async function work(url: string, options: WorkerOptions): Promise<WorkerSummary> {
  const { lake, stop, emit } = options
  const queue = await openQueue(url, options)
  const slices = createSliceWorker(options, `worker ${process.pid} of ${hostname()}`)
  const summary = { done: 0, givenBack: 0, failed: 0, rows: 0 }
  let isBehind = false
  const reach = createReach(emit)
  let restMs = 0

  /** Publishes the commits of several tasks when the queue is empty. */
  const show = async (): Promise<void> => {
    if (!isBehind) return
    isBehind = false
    await publishLatest(lake, stop).catch((error: unknown) => {
      const message = 'The views could not be written; the next publication includes all commits.'
      const reason = error instanceof Error ? error.message : String(error)
      if (!stop.aborted) emit({ kind: 'warning', message, details: { reason } })
    })
  }
  try {
    while (!stop.aborted) {
      const found = await reach(() => queue.take())
      const taken = found?.done ?? null
      if (taken === null) {
        if (found !== null) await show()
        if (options.untilDone && found !== null && (await queue.open().catch(() => 1)) === 0) break
        await waitUnlessStopped(pollMs, stop)
        continue
      }
      const { ending, rows, isUnfit } = await doTask(taken, { queue, slices, options })
      summary[ending]++
      summary.rows += rows
      isBehind ||= rows > 0
      restMs = isUnfit ? Math.min(Math.max(2 * restMs, firstRestMs), longestRestMs) : 0
      // Otherwise it would repeatedly take tasks away from workers that can run them.
      await waitUnlessStopped(restMs, stop)
    }
    return summary
  } finally {
    await slices.renew(summary.failed + summary.givenBack > 0 ? 'failed' : 'done').catch(() => undefined)
    await slices.close()
    await queue.close().catch(() => undefined)
  }
}

/** `isUnfit`: this worker is misconfigured for the task; other workers may be able to do it. */
type Outcome = { readonly ending: keyof Omit<WorkerSummary, 'rows'>; readonly rows: number; readonly isUnfit?: true }

type Tools = {
  readonly queue: Queue
  readonly slices: ReturnType<typeof createSliceWorker>
  readonly options: WorkerOptions
}

async function doTask(taken: TakenTask, tools: Tools): Promise<Outcome> {
  const { attempt, task } = taken
  const { queue, slices, options } = tools
  const losing = new AbortController()
  const stop = AbortSignal.any([options.stop, losing.signal])
  const endBeats = keepBeating(taken, queue, {
    lost: (why) => losing.abort(new Error(why)),
    stuckMs: createProgress(),
  })
  let rows = 0
  try {
    // The queue is next to the catalog, so its tasks are those of the lake.
    verifyTask(task, task.lake)
    const { slice } = task
    const result =
      slice === null
        ? await doStreams(task, { id: attempt.id, takesOver: true }, { ...options, stop })
        : await slices.work(task, slice, stop)
    rows = sumOf(result.tables, 'rows')
    endBeats()
    if (result.postponed !== null || result.interrupted) {
      await settle(queue.giveBack(attempt, result.postponed), taken, options)
      return { ending: 'givenBack', rows }
    }
    await settle(queue.complete(attempt, result), taken, options)
    return { ending: 'done', rows }
  } catch (error) {
    endBeats()
    const verdict = stop.aborted && error === stop.reason ? null : judgeFailure(error)
    if (verdict !== null) return { ...(await failTask(taken, error, verdict, tools)), rows }
    if (losing.signal.aborted) warn(taken, error, 'left to other workers', options)
    await settle(queue.giveBack(attempt, null), taken, options)
    return { ending: 'givenBack', rows }
  }
}

async function failTask(
  taken: TakenTask,
  error: unknown,
  verdict: ReturnType<typeof judgeFailure>,
  { queue, slices, options }: Tools,
): Promise<Omit<Outcome, 'rows'>> {
  const { attempt } = taken
  const unfit = error instanceof ConfigError ? ({ isUnfit: true } as const) : {}
  switch (verdict.kind) {
    case 'postponed':
      await settle(queue.giveBack(attempt, verdict.postponed), taken, options)
      return { ending: 'givenBack', ...unfit }
    case 'unfit':
      warn(taken, error, 'left to other workers', options)
      await settle(queue.leave(attempt, error), taken, options)
      return { ending: 'givenBack', ...unfit }
    case 'retry':
      warn(taken, error, 'the task is retried', options)
      await settle(queue.tryAgain(attempt, error), taken, options)
      if (verdict.renews) await slices.renew('failed').catch(() => undefined)
      break
    case 'failed':
      warn(taken, error, 'the task has failed', options)
      await settle(queue.giveUp(attempt, error), taken, options)
  }
  return { ending: 'failed', ...unfit }
}

/** Waits until the queue has recorded an outcome. If that fails, another worker takes the task when its lease ends. */
async function settle(settled: Promise<boolean>, { task }: TakenTask, { emit }: WorkerOptions): Promise<void> {
  const isOwn = await settled.catch(() => null)
  if (isOwn === true) return
  const why = isOwn === null ? 'the outcome could not be recorded in the queue' : 'another worker has taken the task'
  emit({ kind: 'notice', message: `${taskText(task)}: ${why}.` })
}

function warn({ task }: TakenTask, error: unknown, consequence: string, { emit }: WorkerOptions): void {
  const message = error instanceof Error ? error.message : String(error)
  const details = error instanceof ChainlakeError ? { ...error.details, hint: error.hint } : {}
  emit({ kind: 'warning', message: `${taskText(task)}: ${message} (${consequence})`, details })
}

const beatsPerLease = 4

export const losses = {
  taken: 'Another worker has taken the task.',
  silent: 'No heartbeat of this worker reached the queue for the whole lease of the task.',
  stuck: 'This worker made no progress for the whole lease of the task.',
} as const

/**
 * Sends heartbeats until the returned function is called. A worker loses its task when no heartbeat succeeds for a whole lease, or when
 * another worker has the task. A worker without progress for a whole lease stops its heartbeats, so that another worker takes the task.
 */
export function keepBeating(
  { attempt, leaseSeconds }: Pick<TakenTask, 'attempt' | 'leaseSeconds'>,
  queue: Pick<Queue, 'beat'>,
  { lost, stuckMs }: { readonly lost: (why: string) => void; readonly stuckMs: () => number },
): () => void {
  const leaseMs = leaseSeconds * 1000
  let beatMs = performance.now()
  let isBeating = false
  const lose = (why: string): void => {
    clearInterval(timer)
    lost(why)
  }
  const beat = async (): Promise<void> => {
    const beganMs = performance.now()
    isBeating = true
    try {
      if (await queue.beat(attempt)) beatMs = beganMs
      else lose(losses.taken)
    } catch {
      // The next heartbeat may still succeed within the lease.
    } finally {
      isBeating = false
    }
  }
  const timer = setInterval(() => {
    if (performance.now() - beatMs > leaseMs) lose(losses.silent)
    else if (stuckMs() > leaseMs) lose(losses.stuck)
    else if (!isBeating) void beat()
  }, leaseMs / beatsPerLease)
  return () => clearInterval(timer)
}

/** Below this share of CPU time, over all threads, a process counts as idle: waiting and heartbeats take less. */
const leastBusy = 0.02

/**
 * Returns a function for the milliseconds since this process last made progress. It makes progress while it computes, and while it waits for
 * a source or a store, including waits that these request. Any other waiting may never end.
 */
export function createProgress(): () => number {
  let [seenMs, usedUs] = [performance.now(), cpuUs()]
  let sinceMs = seenMs
  return () => {
    const [nowMs, nowUs] = [performance.now(), cpuUs()]
    const isBusy = (nowUs - usedUs) / 1000 > leastBusy * (nowMs - seenMs)
    if (isBusy || isWaitingOutside()) sinceMs = nowMs
    ;[seenMs, usedUs] = [nowMs, nowUs]
    return nowMs - sinceMs
  }
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
