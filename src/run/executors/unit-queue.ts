import type { Arriving } from '../units/ordered-windows.ts'

/** What is to be done comes bit by bit. */
export type UnitQueue<K> = Arriving<K> & {
  readonly add: (one: K) => void
  /** Nothing comes any more. */
  readonly end: () => void
}

/** `stop` ends it too. */
export function createUnitQueue<K>(stop: AbortSignal): UnitQueue<K> {
  const waiting: K[] = []
  let hasEnded = false
  let wake: () => void = () => undefined
  stop.addEventListener('abort', () => wake(), { once: true })
  return {
    add(one) {
      waiting.push(one)
      wake()
    },
    end() {
      hasEnded = true
      wake()
    },
    next: () => waiting.shift() ?? null,
    async more() {
      while (waiting.length === 0 && !hasEnded && !stop.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return waiting.length > 0 && !stop.aborted
    },
  }
}
