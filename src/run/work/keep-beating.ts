import type { Queue, TakenTask } from './queue.ts'

/** A worker says several times within its lease that it lives. */
const beatsPerLease = 4

/**
 * Says that the worker lives, until the returned function is called. One who could not say so for a whole lease has lost the task, as has
 * one who hears that it is another's.
 */
export function keepBeating(
  { attempt, leaseSeconds }: Pick<TakenTask, 'attempt' | 'leaseSeconds'>,
  queue: Pick<Queue, 'beat'>,
  lost: () => void,
): () => void {
  let saidMs = performance.now()
  let isSaying = false
  const say = async (): Promise<void> => {
    const beganMs = performance.now()
    isSaying = true
    try {
      if (await queue.beat(attempt)) saidMs = beganMs
      else lost()
    } catch {
      // Within the lease the next time may do.
    } finally {
      isSaying = false
    }
  }
  const timer = setInterval(
    () => {
      if (performance.now() - saidMs > leaseSeconds * 1000) lost()
      else if (!isSaying) void say()
    },
    (leaseSeconds * 1000) / beatsPerLease,
  )
  return () => clearInterval(timer)
}
