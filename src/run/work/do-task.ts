import { ChainlakeError, ConfigError } from '../../errors.ts'
import { doStreams } from './do-streams.ts'
import { judgeFailure, type Verdict } from './judge-failure.ts'
import { keepBeating } from './keep-beating.ts'
import { createProgress } from './progress.ts'
import type { Queue, TakenTask } from './queue.ts'
import type { SliceWorker } from './slice-worker.ts'
import { taskText, verifyFormat } from './task.ts'
import type { WorkerOptions, WorkerSummary } from './worker-options.ts'

type Ending = keyof Omit<WorkerSummary, 'rows'>
/** `isUnfit`: this worker is misconfigured for the task; other workers may be able to do it. */
export type Outcome = { readonly ending: Ending; readonly rows: number; readonly isUnfit?: true }

type Tools = { readonly queue: Queue; readonly slices: SliceWorker; readonly options: WorkerOptions }

/** Runs a task and records the outcome in the queue. */
export async function doTask(taken: TakenTask, tools: Tools): Promise<Outcome> {
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
    verifyFormat(task)
    const { slice } = task
    const { result, isCommitted } =
      slice === null
        ? { result: await doStreams(taken, queue, { ...options, stop }), isCommitted: false }
        : await slices.work(taken, slice, stop)
    rows = result.tables.reduce((sum, table) => sum + table.rows, 0)
    endBeats()
    if (isCommitted) return { ending: 'done', rows }
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
  verdict: Verdict,
  { queue, slices, options }: Tools,
): Promise<Omit<Outcome, 'rows'>> {
  const { attempt } = taken
  const unfit = error instanceof ConfigError ? ({ isUnfit: true } as const) : {}
  switch (verdict.kind) {
    case 'later':
      await settle(queue.giveBack(attempt, verdict.postponed), taken, options)
      return { ending: 'givenBack', ...unfit }
    case 'left':
      warn(taken, error, 'left to other workers', options)
      await settle(queue.leave(attempt, error), taken, options)
      return { ending: 'givenBack', ...unfit }
    case 'again':
      warn(taken, error, 'the task is retried', options)
      await settle(queue.tryAgain(attempt, error), taken, options)
      if (verdict.renews) await slices.renew('failed').catch(() => undefined)
      break
    case 'never':
      warn(taken, error, 'the task has failed', options)
      await settle(queue.giveUp(attempt, error), taken, options)
      break
    case 'lost':
      warn(taken, error, 'left to the other worker', options)
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
