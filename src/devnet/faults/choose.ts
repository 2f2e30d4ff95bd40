import type { IncomingHttpHeaders } from 'node:http'
import { createRandom, type Random } from '../network/random.ts'
import {
  type FaultKind,
  type FaultPlan,
  isFaultKind,
  isServicePath,
  transientFaults,
  transientServiceFaults,
} from './kinds.ts'

/** Decides what a request meets: what it asks for itself, else what the plan says. */
export type FaultChooser = {
  choose(path: string, query: URLSearchParams, headers: IncomingHttpHeaders): FaultKind | null
  /** Replaces the plan; null switches planned faults off. */
  setPlan(plan: FaultPlan | null): void
}

/** A request asks for a fault by the header `x-devnet-fault` or the query `devnet-fault`. */
export function createFaultChooser(initial: FaultPlan | null): FaultChooser {
  let plan = initial
  let random: Random = createRandom(plan?.seed ?? 1)
  let counted = 0
  return {
    choose: (path, query, headers) => {
      const asked = headers['x-devnet-fault'] ?? query.get('devnet-fault')
      if (typeof asked === 'string' && isFaultKind(asked)) return asked
      if (plan === null || !path.startsWith(plan.pathPrefix ?? '/')) return null
      counted += 1
      if (counted % plan.every !== 0) return null
      return random.pick(plan.kinds ?? (isServicePath(path) ? transientServiceFaults : transientFaults))
    },
    setPlan: (next) => {
      plan = next
      random = createRandom(plan?.seed ?? 1)
      counted = 0
    },
  }
}
