import { hashedPart, wrap } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { id, struct, u32, u64, versioned } from '../../../codec/linear.ts'
import { encodeNow } from '../../network/encode.ts'
import { genesisTime } from '../../network/eras.ts'
import { zeroId } from '../../network/genesis.ts'
import type { Random } from '../../network/random.ts'
import type { NetworkState } from '../../network/state.ts'
import { createWrapping } from '../../network/wrapping.ts'
import { xChain } from '../asset-chain.ts'
import type { SettledXTx } from './settle.ts'

/** The fields of a StandardBlock before its transactions, which are already encoded. */
const headSchema = versioned(
  struct('head', { typeId: u32, parentID: id, height: u64, time: u64, merkleRoot: id, txs: u32 }),
)

/** Creates the next container of the linear chain with these transactions. */
export type XBlocks = (txs: readonly SettledXTx[]) => { readonly bytes: Uint8Array; readonly id: Uint8Array }

/**
 * `type`: type id of the blocks. `before`: the parent that the genesis block names (height 0, not indexed). X-Chain blocks are always
 * wrapped.
 */
export function createXBlocks(network: NetworkState, random: Random, before: Uint8Array, type: number): XBlocks {
  const wrapping = createWrapping(network, 'apricot', random)
  let height = 0n
  let parentID = sha256(xGenesisBlock(before, type))
  let parentContainer = parentID
  return (txs) => {
    height += 1n
    // A transaction inside a block has no codec version.
    const bodies = txs.map(({ bytes }) => bytes.subarray(2))
    const block = Buffer.concat([headOf(type, parentID, height, network.clock, txs.length), ...bodies])
    const wrapper = wrapping(block, parentContainer, false)
    const bytes = wrap(wrapper)
    const id = sha256(hashedPart(bytes, wrapper))
    parentID = sha256(block)
    parentContainer = id
    return { bytes, id }
  }
}

/** The block of height 0, which no index contains. */
export function xGenesisBlock(before: Uint8Array, type = xChain.blockType): Uint8Array {
  return headOf(type, before, 0n, genesisTime, 0)
}

function headOf(typeId: number, parentID: Uint8Array, height: bigint, time: number, txs: number): Uint8Array {
  return encodeNow(headSchema, { typeId, parentID, height, time: BigInt(time), merkleRoot: zeroId, txs })
}
