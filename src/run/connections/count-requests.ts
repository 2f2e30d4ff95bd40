import type { EmitEvent } from '../job/events.ts'

/** Counts requests by host and reports the counts at intervals, because a run may send thousands per second. */
export type RequestCounter = {
  readonly count: (cost: number, host: string) => void
  /** Reports the counts that were not reported yet. */
  readonly end: () => void
}

export function createRequestCounter(emit: EmitEvent, everyMs = 1_000): RequestCounter {
  const hosts = new Map<string, { requests: number; units: number }>()
  let reportedMs = Number.NEGATIVE_INFINITY
  const end = (): void => {
    if (hosts.size === 0) return
    reportedMs = performance.now()
    for (const [host, counted] of hosts) emit({ kind: 'requests', host, ...counted })
    hosts.clear()
  }
  return {
    count(cost, host) {
      const counted = hosts.get(host) ?? { requests: 0, units: 0 }
      hosts.set(host, counted)
      counted.requests++
      counted.units += cost
      if (performance.now() - reportedMs >= everyMs) end()
    },
    end,
  }
}
