import { longestPauseMs } from '../lib/pause.ts'

/** Until when nothing is sent to a place that asked for patience; whoever asks the same place shares it. */
export type Hold = {
  /** Milliseconds that are left; not positive when there is nothing to wait for. */
  leftMs(): number
  /** Nothing is sent for so long from now on, a day at most. */
  extend(milliseconds: number): void
}

/** What threads are given so that they share a hold. */
export type SharedHold = SharedArrayBuffer

export function newSharedHold(): SharedHold {
  return new SharedArrayBuffer(8)
}

/** A hold, or the one that others have `shared`. */
export function createHold(shared: SharedHold = newSharedHold()): Hold {
  const until = new BigInt64Array(shared)
  return {
    leftMs: () => Number(Atomics.load(until, 0) - nowUs()) / 1000,
    extend(milliseconds) {
      const wanted = nowUs() + BigInt(Math.floor(Math.min(milliseconds, longestPauseMs) * 1000))
      for (let known = Atomics.load(until, 0); known < wanted; known = Atomics.load(until, 0))
        if (Atomics.compareExchange(until, 0, known, wanted) === known) return
    },
  }
}

/** The clock that all threads of a process have in common, in microseconds. */
function nowUs(): bigint {
  return process.hrtime.bigint() / 1000n
}
