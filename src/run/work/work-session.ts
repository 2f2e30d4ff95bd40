import PQueue from 'p-queue'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { EmitEvent } from '../job/events.ts'
import { openQueue, type Queue } from './queue.ts'
import { queueUrl } from './queue-url.ts'

/** Shared by the concurrent runs of a command that queue tasks. */
export type WorkSession = {
  readonly queue: Queue
  /** Runs one step at a time: planning, so that tasks are queued in the order of the jobs, and publishing. */
  readonly inTurn: <T>(step: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

/** @throws ConfigError `work.catalog` for a lake with its catalog in a file; `work.node`, `work.package`. */
export async function openWorkSession(
  lake: LakeLocation,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<WorkSession> {
  const queue = await openQueue(queueUrl(lake), {
    stop,
    failed: ({ message: reason }) =>
      emit({ kind: 'warning', message: 'The queue reported an error.', details: { reason } }),
  })
  const turns = new PQueue({ concurrency: 1 })
  return {
    queue,
    inTurn: (step) => turns.add(step),
    close: () => queue.close().catch(() => undefined),
  }
}
