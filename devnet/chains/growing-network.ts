import type { ContainerStore } from '../index/store.ts'
import type { Progress } from './cache.ts'
import { type CachedNetwork, cachedNetwork } from './cache.ts'
import type { CachedChain } from './index-file.ts'
import type { Issued } from './network.ts'
import { type IndexPath, indexPaths, type NetworkSettings } from './network.ts'

/** A simulated network with chains that grow at the same pace. */
export type GrowingNetwork = {
  readonly stores: Readonly<Record<IndexPath, ContainerStore>>
  /** Blockchains that the P-Chain has created up to the head. */
  created(): readonly CachedChain[]
  /**
   * Accepts this many more P-Chain containers, and the matching ones of the other chains. Returns the total number of P-Chain containers.
   */
  grow(containers: number): Promise<number>
  /** Calls the listener after each growth, with the number of P-Chain containers before and after; returns a function that stops this. */
  onGrowth(listener: (from: number, to: number) => void): () => void
  /** Adds an atomic transaction with these bytes to the next block of the C-Chain. */
  issue(tx: Uint8Array): void
  /** Transactions that clients have issued and that no block includes yet. */
  pending(): readonly Uint8Array[]
  close(): Promise<void>
}

type GrowthSettings = NetworkSettings & {
  readonly cacheDir: string
  /** Number of P-Chain containers that are accepted from the start. */
  readonly accepted: number
  readonly onProgress?: Progress
}

/** Steps that are generated beyond the head, so that the head can move. */
const spare = 1_024

/** Opens the network of a seed. When the head reaches the end of the generated chains, longer chains are generated. */
export async function openGrowingNetwork(settings: GrowthSettings): Promise<GrowingNetwork> {
  const { cacheDir, accepted, onProgress } = settings
  let network = await cachedNetwork(cacheDir, settings, accepted + spare, onProgress)
  let pending: Uint8Array[] = []
  let issued: readonly Issued[] = []
  let steps = accepted
  let reading = 0
  const retired: CachedNetwork[] = []
  const listeners = new Set<(from: number, to: number) => void>()
  const extendTo = async (wanted: number): Promise<void> => {
    if (wanted > network.steps) await replace(Math.ceil(wanted * 1.5) + spare)
  }
  const replace = async (wanted: number): Promise<void> => {
    const other = await cachedNetwork(cacheDir, { ...settings, issued }, wanted)
    if (reading === 0) await network.close()
    else retired.push(network)
    network = other
  }
  /** Includes the issued transactions: from the next step on, the network is replaced by one that contains them. */
  const takeIn = async (containers: number): Promise<void> => {
    if (pending.length === 0 || containers === 0) return
    const txs = pending.map((tx) => Buffer.from(tx).toString('hex'))
    issued = [...issued, { step: steps + 1, txs }]
    await replace(steps + containers + spare)
    pending = pending.slice(txs.length)
  }
  const storeOf = (path: IndexPath): ContainerStore => ({
    count: () => network.indexes[path].countAt(steps),
    texts: async (from, to) => {
      reading += 1
      try {
        return await network.indexes[path].texts(from, to)
      } finally {
        reading -= 1
      }
    },
    indexOf: (id) => network.indexes[path].indexOf(id),
  })
  let growth: Promise<unknown> = Promise.resolve()
  return {
    stores: Object.fromEntries(indexPaths.map((path) => [path, storeOf(path)])) as Record<IndexPath, ContainerStore>,
    created: () => network.created.filter(({ height }) => height <= steps),
    grow: (containers) => {
      const grown = growth.then(async () => {
        await takeIn(containers)
        await extendTo(steps + containers)
        steps += containers
        for (const listener of listeners) listener(steps - containers, steps)
        return steps
      })
      growth = grown.catch(() => {})
      return grown
    },
    onGrowth: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    issue: (tx) => {
      pending.push(tx)
    },
    pending: () => pending,
    close: async () => {
      await growth
      await Promise.all([network, ...retired].map((each) => each.close()))
    },
  }
}
