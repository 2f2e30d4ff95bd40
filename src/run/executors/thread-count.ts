import { availableParallelism } from 'node:os'

export type ThreadWish = {
  /** What the user asked for; undefined: as many as are worth it. */
  readonly threads: number | undefined
  /** Requests of the run under way at once: each thread needs one. */
  readonly concurrency: number
}

/** A thread loads and compiles what it runs by itself: asked for or not, it takes part in no range that is too short for it. */
const leastAsked = 2_048
const leastUsual = 65_536
const mostUsual = 4

/** How many threads share a range of so many coordinates. */
export function threadsFor(
  { threads, concurrency }: ThreadWish,
  coordinates: number,
  processors = availableParallelism(),
): number {
  const wanted =
    threads === undefined
      ? Math.min(processors, mostUsual, Math.floor(coordinates / leastUsual))
      : Math.min(threads, Math.floor(coordinates / leastAsked))
  return Math.max(1, Math.min(wanted, concurrency))
}
