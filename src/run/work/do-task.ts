import { ChainlakeError, ConfigError } from '../../errors.ts'
import { doStreams } from './do-streams.ts'
import { judgeFailure } from './judge-failure.ts'
import { keepBeating } from './keep-beating.ts'
import { createProgress } from './progress.ts'
import type { Queue, TakenTask } from './queue.ts'
import type { SliceWorker } from './slice-worker.ts'
import { taskText, verifyFormat } from './task.ts'
import type { WorkerOptions, WorkerSummary } from './worker-options.ts'

type Ending = keyof Omit<WorkerSummary, 'rows'>
/** `isUnfit`: the worker was told something wrong, and others may do what it cannot. */
export type Outcome = { readonly ending: Ending; readonly rows: number; readonly isUnfit?: true }

type Tools = { readonly queue: Queue; readonly slices: SliceWorker; readonly options: WorkerOptions }

/** Does a task, and says to the queue what became of it. */
export async function doTask(taken: TakenTask, tools: Tools): Promise<Outcome> {
  const { attempt, task } = taken
  const { queue, slices, options } = tools
  const { emit } = options
  const losing = new AbortController()
  const stop = AbortSignal.any([options.stop, losing.signal])
  const endBeats = keepBeating(taken, queue, {
    lost: (why) => losing.abort(new Error(why)),
    stuckMs: createProgress(),
  })
  const settle = async (settled: Promise<boolean>): Promise<void> => {
    // Who cannot say what became of a task leaves it: when its lease is over another worker finds out.
    const isOwn = await settled.catch(() => null)
    const why = isOwn === null ? 'the queue cannot be told what became of it' : 'another worker has it by now'
    if (isOwn !== true) emit({ kind: 'notice', message: `${taskText(task)}: ${why}.` })
  }
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
      await settle(queue.giveBack(attempt, result.postponed))
      return { ending: 'givenBack', rows }
    }
    await settle(queue.complete(attempt, result))
    return { ending: 'done', rows }
  } catch (error) {
    endBeats()
    const verdict = stop.aborted && error === stop.reason ? null : judgeFailure(error)
    if (verdict === null && losing.signal.aborted) tell(taken, error, 'it is left to others', options)
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
