import type { FaultKind } from '../faults/kinds.ts'

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
