import type { TransportError } from '../errors.ts'

/**
 * Whether an endpoint has answered yet. A refused connection before its first answer is more likely a wrong URL or a service that is not
 * running than an outage.
 */
export type FirstContact = {
  /** Call it after an answer of the endpoint, whatever its status. */
  readonly made: () => void
  /** Notes a failure of a request to the endpoint. */
  readonly noteFailure: (error: TransportError) => Noted
}

export type Unreached = 'first' | 'again'

export type Noted = {
  /** The first refused connection before any answer, or a later one; null: another failure. */
  readonly unreached: Unreached | null
  /** How long it may still be retried, in milliseconds; null: as long as tries are left. */
  readonly leftMs: number | null
}

/** `patienceMs`: how long refused connections are retried; null: as long as tries are left. */
export function createFirstContact(
  patienceMs: number | null,
  now: () => number = () => performance.now(),
): FirstContact {
  let isMade = false
  let firstFailureMs: number | null = null
  return {
    made: () => {
      isMade = true
    },
    noteFailure: (error) => {
      if (isMade || error.details['cause'] !== 'ECONNREFUSED') return { unreached: null, leftMs: null }
      const unreached = firstFailureMs === null ? 'first' : 'again'
      firstFailureMs ??= now()
      const leftMs = patienceMs === null ? null : Math.max(0, firstFailureMs + patienceMs - now())
      return { unreached, leftMs }
    },
  }
}
