import { waitUnlessStopped } from '../job/wait.ts'
import { publishLatest } from '../status/republish-lake.ts'
import { doTask } from './do-task.ts'
import { openQueue, type TakenTask } from './queue.ts'
import { createSliceWorker } from './slice-worker.ts'
import type { WorkerOptions, WorkerSummary } from './worker-options.ts'

/** Interval between queries of an empty queue. */
const pollMs = 1_000
/** First and longest pause of a worker that is misconfigured for a task. */
const [firstRestMs, longestRestMs] = [10_000, 300_000]

/** Runs the tasks of a lake until `stop`, or until there are none. At `stop` the complete prefix of the current task is committed. */
export async function work(url: string, options: WorkerOptions): Promise<WorkerSummary> {
  const { lake, stop, emit } = options
  const warn = (message: string, error: unknown): void =>
    emit({ kind: 'warning', message, details: { reason: error instanceof Error ? error.message : String(error) } })
  const queue = await openQueue(url, {
    stop,
    failed: (error) => warn('The queue reported an error.', error),
  })
  const slices = createSliceWorker(options, queue)
  const summary = { done: 0, givenBack: 0, failed: 0, rows: 0 }
  let isBehind = false
  let isDown = false
  let restMs = 0

  /** Publishes the commits of several tasks when the queue is empty. */
  const show = async (): Promise<void> => {
    if (!isBehind) return
    isBehind = false
    await publishLatest(lake, stop).catch((error: unknown) => {
      if (!stop.aborted) warn('The views could not be written; the next publication includes all commits.', error)
    })
  }
  const next = async (): Promise<TakenTask | null> => {
    try {
      const taken = await queue.take()
      if (isDown) emit({ kind: 'notice', message: 'The queue can be reached again.' })
      isDown = false
      return taken
    } catch (error) {
      if (!isDown) warn('The queue cannot be reached; chainlake retries until it can.', error)
      isDown = true
      return null
    }
  }
  try {
    while (!stop.aborted) {
      const taken = await next()
      if (taken === null) {
        if (!isDown) await show()
        if (options.untilDone && !isDown && (await queue.open().catch(() => 1)) === 0) break
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
