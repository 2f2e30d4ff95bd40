import type { Arriving } from '../units/ordered-windows.ts'

/** A queue of units that arrive one by one. */
type UnitQueue<K> = Arriving<K> & {
  readonly add: (one: K) => void
  /** No more units will be added. */
  readonly end: () => void
}

/** `stop` also ends the queue. */
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
