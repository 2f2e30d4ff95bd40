import type { FaultKind } from '../faults.ts'
import { jsonAnswer, type Route } from './router.ts'

type Control = {
  readonly counts: RequestCounts
  /** Accepts this many containers at once and returns the total number of accepted containers. */
  readonly grow: (containers: number) => Promise<number>
}

/** Control routes for tests and demonstrations. Real nodes do not have them, and faults do not affect them. */
export function controlRoutes({ counts, grow }: Control): Route[] {
  return [
    {
      path: '/devnet/requests',
      handle: ({ method }) => {
        const answer = jsonAnswer(200, [JSON.stringify(counts.read())])
        if (method === 'DELETE') counts.reset()
        return answer
      },
    },
    {
      path: '/devnet/grow',
      handle: async ({ method, query }) => {
        const containers = Number(query.get('containers') ?? '1')
        if (method !== 'POST' || !Number.isSafeInteger(containers) || containers < 0) return null
        return jsonAnswer(200, [JSON.stringify({ accepted: await grow(containers) })])
      },
    },
  ]
}

/** The number of requests by path and by fault. */
export type RequestCounts = {
  add(path: string, fault: FaultKind | null): void
  /** Counts the status of a response. */
  answered(status: number): void
  read(): CountedRequests
  reset(): void
}

export type CountedRequests = {
  readonly requests: number
  readonly faults: number
  readonly paths: Readonly<Record<string, number>>
  readonly kinds: Readonly<Record<string, number>>
  /** Responses by status. Requests with a broken connection are not counted. */
  readonly statuses: Readonly<Record<string, number>>
}

export function createCounts(): RequestCounts {
  const paths = new Map<string, number>()
  const kinds = new Map<string, number>()
  const statuses = new Map<string, number>()
  const bump = (map: Map<string, number>, key: string): void => {
    map.set(key, (map.get(key) ?? 0) + 1)
  }
  const sum = (map: Map<string, number>): number => [...map.values()].reduce((total, count) => total + count, 0)
  return {
    add: (path, fault) => {
      bump(paths, path)
      if (fault !== null) bump(kinds, fault)
    },
    answered: (status) => bump(statuses, String(status)),
    read: () => ({
      requests: sum(paths),
      faults: sum(kinds),
      paths: Object.fromEntries(paths),
      kinds: Object.fromEntries(kinds),
      statuses: Object.fromEntries(statuses),
    }),
    reset: () => {
      paths.clear()
      kinds.clear()
      statuses.clear()
    },
  }
}
