import { waitUnlessStopped } from '../job/wait.ts'
import { publishLatest } from '../status/lake-status.ts'
import { doTask } from './do-task.ts'
import { openQueue, type TakenTask } from './queue.ts'
import { createSliceWorker } from './slice-worker.ts'
import type { WorkerOptions, WorkerSummary } from './worker-options.ts'

/** How often an empty queue is asked. */
const pollMs = 1_000
/** How long a worker rests that could not do a task since it was told something wrong, and how long at most. */
const [firstRestMs, longestRestMs] = [10_000, 300_000]

/** Does the tasks of a lake until `stop`, or until there are none. What it was about then is committed as far as it is whole. */
export async function work(url: string, options: WorkerOptions): Promise<WorkerSummary> {
  const { lakeDir, stop, emit } = options
  const warn = (message: string, error: unknown): void =>
    emit({ kind: 'warning', message, details: { reason: error instanceof Error ? error.message : String(error) } })
  const queue = await openQueue(url, {
    stop,
    failed: (error) => warn('The queue says that something is wrong.', error),
  })
  const slices = createSliceWorker(options, queue)
  const summary = { done: 0, givenBack: 0, failed: 0, rows: 0 }
  let isBehind = false
  let isDown = false
  let restMs = 0

  /** What several tasks have committed is shown when there is nothing better to do. */
  const show = async (): Promise<void> => {
    if (!isBehind) return
    isBehind = false
    await publishLatest(lakeDir, stop).catch((error: unknown) => {
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
        if (options.untilDone && !isDown && (await queue.open().catch(() => 1)) === 0) break
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
