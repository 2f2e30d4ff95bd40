import type { EmitEvent } from '../job/events.ts'

/** Counts requests by host and tells of them now and then: there may be thousands a second. */
export type RequestCounter = {
  readonly count: (cost: number, host: string) => void
  /** Tells of the rest. */
  readonly end: () => void
}

export function createRequestCounter(emit: EmitEvent, everyMs = 1_000): RequestCounter {
  const hosts = new Map<string, { requests: number; units: number }>()
  let toldMs = Number.NEGATIVE_INFINITY
  const end = (): void => {
    if (hosts.size === 0) return
    toldMs = performance.now()
    for (const [host, counted] of hosts) emit({ kind: 'asked', host, ...counted })
    hosts.clear()
  }
  return {
    count(cost, host) {
      const counted = hosts.get(host) ?? { requests: 0, units: 0 }
      hosts.set(host, counted)
      counted.requests++
      counted.units += cost
      if (performance.now() - toldMs >= everyMs) end()
    },
    end,
  }
}
