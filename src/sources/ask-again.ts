import type { Connection } from '../define/connection.ts'
import { backoffMs } from '../fetch/backoff.ts'
import { pause } from '../lib/pause.ts'

type Again = {
  /** Whether a retry may succeed: the answer was damaged in transit, or one node lags behind another. */
  readonly isTransient: (error: unknown) => boolean
  readonly tries: number
  /** Bound of the wait before the second try; it doubles up to 10 s. */
  readonly waitMs: number
}

/** How often, and after which wait, a source asks a node that lags behind. */
export type LagOptions = {
  /** How often a request is sent that the node answers as if it lagged behind. Default: that of the connection. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

/** The patience of a run with a node that lags behind. */
export function patienceOf(connection: Pick<Connection, 'tries'>, { tries, waitMs = 500 }: LagOptions) {
  return { tries: tries ?? connection.tries ?? 4, waitMs }
}

/** Retries until an attempt succeeds, fails with an error that a retry cannot help, or the tries are used up. */
export async function askAgain<T>(
  attempt: () => Promise<T>,
  { isTransient, tries, waitMs }: Again,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error) || failures >= tries) throw error
      await pause(backoffMs(failures, { baseMs: waitMs, maxMs: 10_000 }, Math.random), signal)
    }
  }
}
