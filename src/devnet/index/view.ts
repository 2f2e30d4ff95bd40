import type { FaultKind } from '../faults/kinds.ts'
import type { ContainerStore } from './store.ts'

/** By how many containers the head falls back. */
const headStep = 7

/** The store as a fault of the source shows it. */
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

/** How many of the requested containers a range returns. */
export function shortened(kind: FaultKind | null, containers: number): number {
  return kind === 'short-range' ? Math.max(1, Math.floor(containers / 2)) : containers
}
