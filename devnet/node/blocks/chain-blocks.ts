import { unwrap } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { idText } from '../../../codec/ids.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { createFollower } from '../../service/plumbing/follow.ts'

/** Blocks of the P-Chain or the X-Chain as the RPC returns them: without proposer wrappers, and including the genesis block. */
export type ChainBlocks = {
  /** Height of the last accepted block. */
  height(): number
  /** Null above the last block, and for the genesis block if it is not available. */
  at(height: bigint): Promise<Uint8Array | null>
  withId(id: string): Promise<Uint8Array | null>
}

/** `genesis` returns the block of height 0, which no index contains. The block at index `i` has the height `i + 1`. */
export function chainBlocks(store: ContainerStore, genesis: () => Promise<Uint8Array | null>): ChainBlocks {
  const heights = createFollower(store, new Map<string, number>(), (known, { bytes, index }) => {
    known.set(idText(sha256(unwrap(bytes).block)), index + 1)
  })
  const at = async (height: bigint): Promise<Uint8Array | null> => {
    if (height === 0n) return genesis()
    if (height > BigInt(store.count())) return null
    return unwrap(await containerBytes(store, Number(height) - 1)).block
  }
  return {
    height: store.count,
    at,
    withId: async (id) => {
      const height = (await heights()).get(id)
      if (height !== undefined) return height <= store.count() ? at(BigInt(height)) : null
      const first = await genesis()
      return first !== null && idText(sha256(first)) === id ? first : null
    },
  }
}
