import { availableParallelism } from 'node:os'

type ThreadWish = {
  /** The number that the user chose; undefined: chosen by the length of the range. */
  readonly threads: number | undefined
  /** Concurrent requests of the run. Each thread needs at least one. */
  readonly concurrency: number
}

/** Coordinates per thread. Each thread loads and compiles the code by itself, which does not pay off for a short range. */
const leastRequested = 2_048
const leastUsual = 65_536
const mostUsual = 4

/** How many threads share a range of this many coordinates. */
export function threadsFor(
  { threads, concurrency }: ThreadWish,
  coordinates: number,
  processors = availableParallelism(),
): number {
  const wanted =
    threads === undefined
      ? Math.min(processors, mostUsual, Math.floor(coordinates / leastUsual))
      : Math.min(threads, Math.floor(coordinates / leastRequested))
  return Math.max(1, Math.min(wanted, concurrency))
}
