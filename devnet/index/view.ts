import type { FaultKind } from '../faults/kinds.ts'
import type { ContainerStore } from './store.ts'

/** The number of containers by which a fault lowers the head. */
const headStep = 7

/** The store as it appears under a fault of the source. */
export async function storeUnder(
  kind: FaultKind | null,
  store: ContainerStore,
  other: () => Promise<ContainerStore>,
): Promise<ContainerStore> {
  if (kind === 'empty') return { count: () => 0, texts: store.texts, indexOf: () => null }
  if (kind === 'moving-head')
    return { ...store, count: () => Math.max(Math.min(1, store.count()), store.count() - headStep) }
  if (kind === 'other-chain') return other()
  return store
}

/** The number of requested containers that a range returns. */
export function shortened(kind: FaultKind | null, containers: number): number {
  return kind === 'short-range' ? Math.max(1, Math.floor(containers / 2)) : containers
}
