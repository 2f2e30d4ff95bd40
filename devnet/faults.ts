import type { IncomingHttpHeaders } from 'node:http'
import { OptionError } from './errors.ts'
import { createRandom, type Random } from './network/random.ts'

/** All faults of the simulated network, and what a client sees of each. */
export const faultKinds = {
  'rate-limit': '429 without Retry-After',
  'rate-limit-seconds': '429 with Retry-After in seconds',
  'rate-limit-date': '429 with Retry-After as HTTP date',
  'rate-limit-day': '429 with Retry-After of a day',
  'rate-limit-decade': '429 with ratelimit-reset in ten years, without Retry-After',
  'server-error': '500 with a text that is no JSON',
  'bad-gateway': '502 with an HTML page',
  unavailable: '503 with an empty body',
  reset: 'the connection is reset before an answer',
  'reset-midway': 'the connection is reset in the middle of the body',
  slow: 'the answer comes late',
  truncated: 'the body ends early; its length says nothing of it',
  'wrong-checksum': 'the hex of the last container does not match its checksum',
  'wrong-id': 'the last container has the id of another one',
  'short-range': 'a range returns fewer containers than were requested and exist',
  'moving-head': 'the head is some containers behind what was said before',
  'other-chain': 'another chain of the same network id answers',
  bootstrapping: '503 with the text of a node that is bootstrapping',
  'index-off': '404, as of a node without index',
  empty: 'no container has been accepted',
  unhealthy: 'health says that the node is unhealthy',
  'expired-token': 'REST: 400 for the page token, which stays dead; at most twice until the list has been read',
  'restarted-token': 'REST: the page token gives the first page again; at most twice until the list has been read',
  'short-page': 'REST: half of a page, with a token for the rest',
  'empty-page': 'REST: a page without items, with a token',
  'shifting-list': 'REST: rows came in at the head of the list, so that some are seen again',
} as const

export type FaultKind = keyof typeof faultKinds

/** Faults that a retry overcomes: a run continues despite them. */
export const transientFaults: readonly FaultKind[] = [
  'rate-limit',
  'rate-limit-seconds',
  'rate-limit-date',
  'server-error',
  'bad-gateway',
  'unavailable',
  'reset',
  'reset-midway',
  'slow',
  'truncated',
  'short-range',
]

/** The same for the routes of the REST service, which have lists with pages. */
export const transientServiceFaults: readonly FaultKind[] = [
  ...transientFaults.filter((kind) => kind !== 'short-range'),
  'expired-token',
  'restarted-token',
  'short-page',
  'empty-page',
  'shifting-list',
]

/** Whether a path belongs to the REST service. */
export function isServicePath(path: string): boolean {
  return /^\/v[12]\//.test(path)
}

/** Which requests get which fault. */
export type FaultPlan = {
  /** One of this many requests fails; 1 means every request. */
  readonly every: number
  /**
   * Faults of the failing requests, drawn from a seeded sequence. Default: `transientFaults`, and `transientServiceFaults` for the REST
   * service.
   */
  readonly kinds?: readonly FaultKind[]
  /** Only requests with a path that begins with this prefix are counted; default all except `/devnet/`. */
  readonly pathPrefix?: string
  /** Seed of the sequence; default 1. */
  readonly seed?: number
}

function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(faultKinds, text)
}

/** Reads `5`, `5:reset,truncated` or `reset,truncated` (every request). Throws `OptionError` with the known kinds. */
export function parseFaultPlan(text: string): FaultPlan {
  const match = /^(?:(\d+)(?::|$))?(.*)$/.exec(text.trim())
  const every = match?.[1] === undefined ? 1 : Number(match[1])
  const names = (match?.[2] ?? '').split(',').filter((name) => name !== '')
  const kinds = names.map((name) => {
    if (isFaultKind(name)) return name
    throw new OptionError(`There is no fault named ${name}.`, {
      code: 'config.fault',
      hint: `Name some of ${Object.keys(faultKinds).join(', ')}; 5:reset,slow makes every fifth request fail so.`,
    })
  })
  if (!Number.isSafeInteger(every) || every < 1 || (kinds.length === 0 && match?.[1] === undefined)) {
    throw new OptionError(`Cannot read the faults ${JSON.stringify(text)}.`, {
      code: 'config.fault',
      hint: 'Write 5, 5:reset,slow or reset,slow.',
    })
  }
  return kinds.length === 0 ? { every } : { every, kinds }
}

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
