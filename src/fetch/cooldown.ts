import { longestPauseMs } from '../lib/pause.ts'

/** The time until which nothing is sent to an endpoint that demanded a wait. All clients of the endpoint share it. */
export type Cooldown = {
  /** Milliseconds left; zero or negative when there is nothing to wait for. */
  leftMs(): number
  /** Sends nothing for this long from now on, at most one day. */
  extend(milliseconds: number): void
}

/** The memory through which threads share a cooldown. */
export type SharedCooldown = SharedArrayBuffer

export function newSharedCooldown(): SharedCooldown {
  return new SharedArrayBuffer(8)
}

/** A new cooldown, or the one in `shared` memory. */
export function createCooldown(shared: SharedCooldown = newSharedCooldown()): Cooldown {
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

/** A monotonic clock that all threads of a process share, in microseconds. */
function nowUs(): bigint {
  return process.hrtime.bigint() / 1000n
}
