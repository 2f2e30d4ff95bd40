import { createChooser } from '../../network/choose.ts'
import type { GeneratedContainer } from '../../network/container.ts'
import { since } from '../../network/eras.ts'
import { genesisHash } from '../../network/genesis.ts'
import { branchOf } from '../../network/random.ts'
import type { NetworkState } from '../../network/state.ts'
import { matureCoins } from '../../utxo/funding.ts'
import { type AssetChain, xChain } from '../asset-chain.ts'
import { createXState } from '../state.ts'
import { kindsOf } from '../transactions/index.ts'
import { createXBlocks, type XBlocks } from './blocks.ts'
import { type SettledXTx, settleSomeX } from './settle.ts'
import { createXVertices } from './vertices.ts'

/** The containers that a step of the X-Chain adds to its indexes. */
type XStep = { readonly [index in 'X/vtx' | 'X/tx' | 'X/block']: readonly GeneratedContainer[] }

/** Creates the containers of the X-Chain, with some transactions per step. */
type XChain = { next(): XStep }

/** The maximum number of coins of other assets that a wallet tracks; older coins are never spent. */
const mostForeign = 64

/**
 * Creates an X-Chain. By default it is linear from the beginning. A `legacy` one has vertices before Cortina, with the same transactions:
 * this changes neither the transactions nor the other chains.
 */
export function createXChain(network: NetworkState, seed: number, legacy: boolean, chain = xChain): XChain {
  const state = createXState(network, chain)
  const chooser = createChooser(state, kindsOf(chain))
  const pack = createPacking(network, seed, legacy, chain)
  return {
    next: () => {
      state.chainTime = network.clock
      matureCoins(state)
      const { foreign } = network.random.pick(state.wallets)
      if (foreign.length > mostForeign) foreign.splice(0, foreign.length - mostForeign)
      return pack(settleSomeX(chooser, network.random.pick([1, 1, 1, 1, 2, 2, 3]), chain.codec))
    },
  }
}

const nothing: XStep = { 'X/vtx': [], 'X/tx': [], 'X/block': [] }

function createPacking(
  network: NetworkState,
  seed: number,
  legacy: boolean,
  { blockType }: AssetChain,
): (txs: readonly SettledXTx[]) => XStep {
  const random = branchOf(seed, 'X')
  const vertices = createXVertices(random)
  let blocks: XBlocks | null = legacy ? null : createXBlocks(network, random, xBefore(seed), blockType)
  const accepted = ({ bytes, id }: { bytes: Uint8Array; id: Uint8Array }): GeneratedContainer => {
    return { bytes, id, clock: network.clock, nanoseconds: random.below(1_000_000_000) }
  }
  const txContainers = (txs: readonly SettledXTx[]) => txs.map(({ bytes, txId }) => accepted({ bytes, id: txId }))
  return (txs) => {
    if (txs.length === 0) return nothing
    if (blocks === null && !since(network.era, 'cortina')) {
      const vertex = accepted(vertices.add(txs.map(({ bytes }) => bytes)))
      return { 'X/vtx': [vertex], 'X/tx': txContainers(txs), 'X/block': [] }
    }
    const stop = blocks === null ? vertices.stop() : null
    blocks ??= createXBlocks(network, random, stop!.id, blockType)
    const block = accepted(blocks(txs))
    return { 'X/vtx': stop === null ? [] : [accepted(stop)], 'X/tx': [], 'X/block': [block] }
  }
}

/** The parent that the genesis block names on a chain that was always linear. */
export function xBefore(seed: number): Uint8Array {
  return genesisHash(seed, 'X genesis')
}
