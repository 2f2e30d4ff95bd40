import type { Queue, TakenTask } from './queue.ts'

/** Heartbeats of a worker within its lease. */
const beatsPerLease = 4

/** Reasons why a worker has lost its task. */
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
