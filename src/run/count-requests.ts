import type { EmitEvent } from './events.ts'

/** Counts requests and tells of them now and then: there may be thousands a second. */
export type RequestCounter = {
  readonly count: (cost: number) => void
  /** Tells of the rest. */
  readonly end: () => void
}

export function createRequestCounter(emit: EmitEvent, everyMs = 1_000): RequestCounter {
  let requests = 0
  let units = 0
  let toldMs = Number.NEGATIVE_INFINITY
  const end = (): void => {
    if (requests === 0) return
    toldMs = performance.now()
    emit({ kind: 'asked', requests, units })
    requests = 0
    units = 0
  }
  return {
    count(cost) {
      requests++
      units += cost
      if (performance.now() - toldMs >= everyMs) end()
    },
    end,
  }
}
