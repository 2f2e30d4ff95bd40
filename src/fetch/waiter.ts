import type { Grant } from './bucket.ts'
import type { Patience } from './patience.ts'

/** A request that waits for its leave. */
export type Waiter = {
  readonly units: number
  readonly patience: Patience | undefined
  readonly resolve: (grant: Grant) => void
  readonly reject: (error: unknown) => void
}

export type Waiting = Pick<Waiter, 'units' | 'patience'> & { readonly signal: AbortSignal | undefined }

/**
 * Puts a request at the end of a line, and resolves once somebody gives it leave.
 *
 * @throws the signal's reason; of a request that gave up, `left` hears when it is out of the line.
 */
export function waitInLine(
  line: Set<Waiter>,
  { units, patience, signal }: Waiting,
  on: { readonly joined: (waiter: Waiter) => void; readonly left?: () => void },
): Promise<Grant> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = () => {
      line.delete(waiter)
      on.left?.()
      reject(signal?.reason)
    }
    const settled = () => signal?.removeEventListener('abort', onAbort)
    const waiter: Waiter = {
      units,
      patience,
      resolve(grant) {
        settled()
        resolve(grant)
      },
      reject(error) {
        settled()
        reject(error)
      },
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    line.add(waiter)
    on.joined(waiter)
  })
}
