import { type CachedNetwork, cachedNetwork } from '../cache/cache.ts'
import type { CachedChain } from '../cache/format.ts'
import type { Progress } from '../cache/write.ts'
import type { ContainerStore } from '../index/store.ts'
import { type IndexPath, indexPaths, type NetworkSettings } from '../network/network.ts'

/** A simulated network whose heads move on together. */
export type GrowingNetwork = {
  readonly stores: Readonly<Record<IndexPath, ContainerStore>>
  /** Blockchains that have been created up to the head. */
  created(): readonly CachedChain[]
  /** Accepts so many more containers of the P chain, and of the others what goes with them; gives how many P has. */
  grow(containers: number): Promise<number>
  close(): Promise<void>
}

export type GrowthSettings = NetworkSettings & {
  readonly cacheDir: string
  /** Containers of the P chain that are accepted from the start. */
  readonly accepted: number
  readonly onProgress?: Progress
}

/** Steps that are generated beyond the head, so that it can move. */
const spare = 1_024

/** Opens the network of a seed; when the head comes to the end of what was generated, a longer one takes its place. */
export async function openGrowingNetwork(settings: GrowthSettings): Promise<GrowingNetwork> {
  const { cacheDir, accepted, onProgress } = settings
  let network = await cachedNetwork(cacheDir, settings, accepted + spare, onProgress)
  let steps = accepted
  let reading = 0
  const retired: CachedNetwork[] = []
  const extendTo = async (wanted: number): Promise<void> => {
    if (wanted <= network.steps) return
    const longer = await cachedNetwork(cacheDir, settings, Math.ceil(wanted * 1.5) + spare)
    if (reading === 0) await network.close()
    else retired.push(network)
    network = longer
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
        await extendTo(steps + containers)
        steps += containers
        return steps
      })
      growth = grown.catch(() => {})
      return grown
    },
    close: async () => {
      await growth
      await Promise.all([network, ...retired].map((each) => each.close()))
    },
  }
}
