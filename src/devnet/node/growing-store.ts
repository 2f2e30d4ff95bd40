import { cachedChain } from '../cache/cache.ts'
import type { CachedChain } from '../cache/format.ts'
import type { Progress } from '../cache/write.ts'
import type { ContainerStore } from '../index/store.ts'

/** A simulated chain whose head moves on. */
export type GrowingChain = {
  readonly store: ContainerStore
  /** Blockchains that have been created up to the head. */
  chains(): readonly CachedChain[]
  /** Accepts more containers; gives how many have been accepted. */
  grow(containers: number): Promise<number>
  close(): Promise<void>
}

export type ChainSettings = {
  readonly cacheDir: string
  readonly seed: number
  /** Containers that are accepted from the start. */
  readonly accepted: number
  readonly onProgress?: Progress
}

/** Containers that are generated beyond the head, so that it can move. */
const spare = 1_024

/** Opens the chain of a seed; when the head comes to the end of what was generated, a longer chain takes its place. */
export async function openGrowingChain({ cacheDir, seed, accepted, onProgress }: ChainSettings): Promise<GrowingChain> {
  let file = await cachedChain(cacheDir, seed, accepted + spare, onProgress)
  let count = accepted
  let reading = 0
  const retired: (() => Promise<void>)[] = []
  const extendTo = async (wanted: number): Promise<void> => {
    if (wanted <= file.count) return
    const longer = await cachedChain(cacheDir, seed, Math.ceil(wanted * 1.5) + spare)
    if (reading === 0) await file.close()
    else retired.push(file.close)
    file = longer
  }
  let growth: Promise<unknown> = Promise.resolve()
  return {
    store: {
      count: () => count,
      texts: async (from, to) => {
        reading += 1
        try {
          return await file.texts(from, to)
        } finally {
          reading -= 1
        }
      },
      indexOf: (id) => file.indexOf(id),
    },
    chains: () => file.chains.filter(({ height }) => height <= count),
    grow: (containers) => {
      const grown = growth.then(async () => {
        await extendTo(count + containers)
        count += containers
        return count
      })
      growth = grown.catch(() => {})
      return grown
    },
    close: async () => {
      await growth
      await Promise.all([file.close(), ...retired.map((close) => close())])
    },
  }
}
