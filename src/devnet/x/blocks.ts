import { sha256 } from '../../codec/hash.ts'
import { encode } from '../../codec/linear/index.ts'
import { hashedPart, wrap } from '../../codec/proposervm.ts'
import { xBlock } from '../../codec/x/blocks.ts'
import type { XTx } from '../../codec/x/transactions.ts'
import { genesisTime } from '../network/eras.ts'
import { zeroId } from '../network/genesis.ts'
import type { Random } from '../network/random.ts'
import type { NetworkState } from '../network/state.ts'
import { createWrapping } from '../network/wrapping.ts'

/** Puts transactions into the next container of the linear chain. */
export type XBlocks = (txs: readonly XTx[]) => { readonly bytes: Uint8Array; readonly id: Uint8Array }

/** `before`: what the genesis block (height 0, not indexed) names as its parent. X blocks are always wrapped. */
export function createXBlocks(network: NetworkState, random: Random, before: Uint8Array): XBlocks {
  const wrapping = createWrapping(network, 'apricot', random)
  const common = { type: 'StandardBlock' as const, merkleRoot: zeroId }
  let height = 0n
  let parentID = sha256(encode(xBlock, { ...common, parentID: before, height, time: BigInt(genesisTime), txs: [] }))
  let parentContainer = parentID
  return (txs) => {
    height += 1n
    const block = encode(xBlock, { ...common, parentID, height, time: BigInt(network.clock), txs })
    const wrapper = wrapping(block, parentContainer, false)
    const bytes = wrap(wrapper)
    const id = sha256(hashedPart(bytes, wrapper))
    parentID = sha256(block)
    parentContainer = id
    return { bytes, id }
  }
}
