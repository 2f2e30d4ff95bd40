import { type Era, eras, genesisTime } from './genesis.ts'
import { createNoise, createRandom, type Noise, type Random } from './random.ts'

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

/** An owner of addresses, which are the same on every chain. */
export type Holder = {
  /** Position among the holders of the network. */
  readonly position: number
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

const holderCount = 48

/** Creates the holders. Every sixth holder needs two of three signatures. */
function createHolders(random: Random): readonly Holder[] {
  return Array.from({ length: holderCount }, (_, position) => {
    const [addressCount, threshold] = position % 6 === 5 ? [3, 2] : [1, 1]
    const addresses = Array.from({ length: addressCount }, () => random.bytes(20)).sort(Buffer.compare)
    return { position, threshold, addresses }
  })
}

export type ChainAlias = 'P' | 'X' | 'C'

/** An output that has been exported for a holder and has not been imported yet. */
export type Exported = {
  readonly txId: Uint8Array
  /** Index of the output in the exporting transaction. Exported outputs are numbered after the ordinary ones. */
  readonly index: number
  readonly asset: Uint8Array
  readonly amount: bigint
  readonly holder: Holder
}

/** Exported outputs that have not been imported yet. */
type SharedMemory = {
  put(from: ChainAlias, to: ChainAlias, exported: Exported): void
  /**
   * Takes at most `most` of the oldest outputs of one holder: the first holder from position `first` on that has suitable outputs. Returns
   * an empty list if no holder has any.
   */
  take(from: ChainAlias, to: ChainAlias, wanted: Wanted): Exported[]
  /** Removes an output that was imported. */
  remove(from: ChainAlias, to: ChainAlias, txId: Uint8Array, index: number): void
}

type Wanted = {
  readonly first: number
  readonly most: number
  readonly suits?: (exported: Exported) => boolean
}

function createSharedMemory(): SharedMemory {
  /** By source and destination chain, then by holder. */
  const waiting = new Map<string, Exported[][]>()
  const holdersOf = (from: ChainAlias, to: ChainAlias): Exported[][] => {
    const way = from + to
    const found = waiting.get(way) ?? []
    waiting.set(way, found)
    return found
  }
  return {
    put: (from, to, exported) => {
      const holders = holdersOf(from, to)
      while (holders.length <= exported.holder.position) holders.push([])
      holders[exported.holder.position]!.push(exported)
    },
    take: (from, to, { first, most, suits = () => true }) => {
      const holders = holdersOf(from, to)
      for (let step = 0; step < holders.length; step += 1) {
        const list = holders[(first + step) % holders.length]!
        const taken: Exported[] = []
        for (let at = 0; at < list.length && taken.length < most; ) {
          if (suits(list[at]!)) taken.push(...list.splice(at, 1))
          else at += 1
        }
        if (taken.length > 0) return taken
      }
      return []
    },
    remove: (from, to, txId, index) => {
      for (const list of holdersOf(from, to)) {
        const at = list.findIndex((each) => each.index === index && Buffer.compare(each.txId, txId) === 0)
        if (at >= 0) list.splice(at, 1)
      }
    },
  }
}
