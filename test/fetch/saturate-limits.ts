import { vi } from 'vitest'
import { createRateLimit, type RateLimit, type SharedState } from '../../src/fetch/limits.ts'
import { seeded } from './seeded.ts'

type LimitSigns = NonNullable<Parameters<RateLimit['report']>[1]>

export const minute = 60_000
const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** A shared state in this process with a delay of a few milliseconds; `changes` counts its changes. */
export function sharedState(): SharedState & { readonly changes: () => number } {
  let kept: string | null = null
  let changes = 0
  return {
    changes: () => changes,
    async change(step) {
      await after(2)
      const { keep, result } = step(kept, Date.now())
      kept = keep
      changes++
      await after(2)
      return result
    },
  }
}

export const shared = (state: SharedState) => createRateLimit({ unitsPerMinute: null, shared: state })

/** Simulates processes that always have another request, with several requests at once; returns the totals. */
export async function saturate(
  limits: readonly RateLimit[],
  { answer, untilMs }: { answer: (units: number, now: number) => LimitSigns; untilMs: number },
) {
  const random = seeded(7)
  const log: { at: number; units: number; status: number }[] = []
  const send = async (limit: RateLimit): Promise<void> => {
    while (performance.now() < untilMs) {
      const units = 50 + Math.floor(100 * random())
      const grant = await limit.acquire(units)
      await after(30 + 100 * random())
      const signs = answer(units, performance.now())
      log.push({ at: performance.now(), units, status: signs.status })
      await after(30 + 100 * random())
      limit.report(grant, signs)
    }
  }
  for (const limit of limits) for (let sender = 0; sender < 3; sender++) void send(limit)
  await vi.advanceTimersByTimeAsync(untilMs)
  return {
    refused: log.filter(({ status }) => status === 429).length / log.length,
    unitsBetween: (from: number, to: number) =>
      log.reduce((sum, { at, units, status }) => (status === 200 && at >= from && at < to ? sum + units : sum), 0),
    requests: log.length,
  }
}
