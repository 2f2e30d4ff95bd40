import PQueue from 'p-queue'
import type { ErrorFacts } from '../../errors.ts'
import type { EmitEvent } from '../events.ts'
import { openQueue, type Queue } from './queue.ts'
import { queueUrl } from './queue-url.ts'

/** What the runs of a command share that queue tasks at the same time. */
export type WorkSession = {
  readonly queue: Queue
  /** Tells what all of them would tell: the same message once. */
  readonly tellOnce: (message: string, details?: ErrorFacts) => void
  /** Does one thing after another: plans, so that tasks are queued in the order of the jobs, and publications. */
  readonly inTurn: <T>(step: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

/** @throws ConfigError `work.catalog` for a lake whose catalog is a file; `work.node`, `work.package`. */
export async function openWorkSession(
  lakeDir: string,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<WorkSession> {
  const told = new Set<string>()
  const tellOnce: WorkSession['tellOnce'] = (message, details = {}) => {
    if (!told.has(message)) emit({ kind: 'warning', message, details })
    told.add(message)
  }
  const queue = await openQueue(queueUrl(lakeDir), {
    stop,
    failed: ({ message: reason }) =>
      emit({ kind: 'warning', message: 'The queue says that something is wrong.', details: { reason } }),
  })
  const turns = new PQueue({ concurrency: 1 })
  return {
    queue,
    tellOnce,
    inTurn: (step) => turns.add(step),
    close: () => queue.close().catch(() => undefined),
  }
}
