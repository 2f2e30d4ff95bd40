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

/** Chooses the fault of a request: the one that the request names, otherwise the one of the plan. */
export type FaultChooser = {
  choose(path: string, query: URLSearchParams, headers: IncomingHttpHeaders): FaultKind | null
  /** Replaces the plan; null switches planned faults off. */
  setPlan(plan: FaultPlan | null): void
}

/** A request names a fault in the header `x-devnet-fault` or the query parameter `devnet-fault`. */
export function createFaultChooser(initial: FaultPlan | null): FaultChooser {
  let plan = initial
  let random: Random = createRandom(plan?.seed ?? 1)
  let counted = 0
  return {
    choose: (path, query, headers) => {
      const named = headers['x-devnet-fault'] ?? query.get('devnet-fault')
      if (typeof named === 'string' && isFaultKind(named)) return named
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
