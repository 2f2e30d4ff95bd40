import type { Grant } from './bucket.ts'
import type { Patience } from './patience.ts'

/** A request that waits for its grant. */
export type Waiter = {
  readonly units: number
  readonly patience: Patience | undefined
  readonly resolve: (grant: Grant) => void
  readonly reject: (error: unknown) => void
}

type Waiting = Pick<Waiter, 'units' | 'patience'> & { readonly signal: AbortSignal | undefined }

/**
 * Puts a request at the end of a queue; resolves when the request is granted. When the signal is aborted, the request leaves the queue,
 * `left` is called, and the promise rejects with the signal's reason.
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
