import { type Era, eras, genesisTime } from './eras.ts'
import { createHolders, type Holder } from './holders.ts'
import { createNoise, type Noise } from './noise.ts'
import { createRandom, type Random } from './random.ts'
import { createSharedMemory, type SharedMemory } from './shared-memory.ts'

/** The state that the chains of the network share. */
export type NetworkState = {
  readonly random: Random
  readonly noise: Noise
  readonly holders: readonly Holder[]
  /** Outputs that have been exported and have not been imported yet. */
  readonly memory: SharedMemory
  era: Era
  /** Wall clock in Unix seconds. */
  clock: number
  /** Height of the last P-Chain block. */
  pHeight: number
}

export function createNetworkState(seed: number): NetworkState {
  const random = createRandom(seed)
  return {
    random,
    noise: createNoise(random),
    holders: createHolders(random),
    memory: createSharedMemory(),
    era: eras[0]!,
    clock: genesisTime,
    pHeight: 0,
  }
}
