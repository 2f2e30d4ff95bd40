import type { Queue, TakenTask } from './queue.ts'

/** A worker says several times within its lease that it lives. */
const beatsPerLease = 4

/** Why a worker does not have its task any more. */
export const losses = {
  given: 'The task was given to another worker.',
  unheard: 'The queue heard nothing of this worker for the whole lease of the task.',
  stuck: 'This worker made no progress for the whole lease of the task.',
} as const

/**
 * Says that the worker lives, until the returned function is called. One who could not say so for a whole lease has lost the task, as has one who
 * hears that it is another's. One who made no progress for a whole lease says so no more: others shall have the task.
 */
export function keepBeating(
  { attempt, leaseSeconds }: Pick<TakenTask, 'attempt' | 'leaseSeconds'>,
  queue: Pick<Queue, 'beat'>,
  { lost, stuckMs }: { readonly lost: (why: string) => void; readonly stuckMs: () => number },
): () => void {
  const leaseMs = leaseSeconds * 1000
  let saidMs = performance.now()
  let isSaying = false
  const lose = (why: string): void => {
    clearInterval(timer)
    lost(why)
  }
  const say = async (): Promise<void> => {
    const beganMs = performance.now()
    isSaying = true
    try {
      if (await queue.beat(attempt)) saidMs = beganMs
      else lose(losses.given)
    } catch {
      // Within the lease the next time may do.
    } finally {
      isSaying = false
    }
  }
  const timer = setInterval(() => {
    if (performance.now() - saidMs > leaseMs) lose(losses.unheard)
    else if (stuckMs() > leaseMs) lose(losses.stuck)
    else if (!isSaying) void say()
  }, leaseMs / beatsPerLease)
  return () => clearInterval(timer)
}
