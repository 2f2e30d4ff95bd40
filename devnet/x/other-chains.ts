import { type FxOrder, fxId } from '../../codec/fxs.ts'
import { sha256 } from '../../codec/hash.ts'
import { idText } from '../../codec/ids.ts'
import { encode } from '../../codec/linear.ts'
import { signedPTx } from '../../codec/p.ts'
import { encodedBytes } from '../http/json-rpc.ts'
import { type ContainerStore, memoryStore } from '../index/store.ts'
import { assetVmId, eras, networkId, zeroId, zeroIdText } from '../network/genesis.ts'
import { createNetworkState } from '../network/state.ts'
import { createXChain } from './chain.ts'
import { assetChain } from './state.ts'

/** A chain of the asset VM other than the X-Chain. The genesis of the P-Chain creates it. */
export type OtherChain = {
  readonly id: string
  readonly name: string
  readonly subnetId: string
  readonly fxs: FxOrder
  /** Seed of its wallets, which own all coins at the beginning. */
  readonly seed: number
  /** The CreateChainTx. Its transaction id is the id of the chain. */
  readonly tx: Uint8Array
  readonly blocks: () => ContainerStore
}

/** The P-Chain accepts feature extensions only sorted by their ids, which differs from the order of the X-Chain. */
const orders: readonly FxOrder[] = [
  ['nftfx', 'propertyfx', 'secp256k1fx'],
  ['secp256k1fx'],
  ['propertyfx', 'secp256k1fx'],
]

const blockCount = 120
const secondsApart = 10

/** Three such chains of a network. Their blocks are created on the first request. */
export function otherChains(seed: number): OtherChain[] {
  return orders.map((fxs, at) => {
    const name = `Assets ${fxs.join(' ')}`
    const tx = createChainTx(name, fxs)
    const id = sha256(tx)
    const own = seed + at + 1
    let made: ContainerStore | null = null
    const blocks = () => {
      made ??= memoryStore(generate(own, id, fxs))
      return made
    }
    return { id: idText(id), name, subnetId: zeroIdText, fxs, seed: own, tx, blocks }
  })
}

function generate(seed: number, id: Uint8Array, fxs: FxOrder) {
  const network = createNetworkState(seed)
  network.era = eras.at(-1)!
  network.clock = network.era.time
  const chain = createXChain(network, seed, false, assetChain(id, fxs))
  return Array.from({ length: blockCount }, () => {
    network.clock += secondsApart
    return chain.next()['X/block']
  })
    .flat()
    .map(({ bytes, id: container, clock }) => ({
      id: idText(container),
      hex: encodedBytes(bytes),
      timestamp: new Date(clock * 1000).toISOString(),
    }))
}

function createChainTx(chainName: string, fxs: FxOrder): Uint8Array {
  const base = { networkID: networkId, blockchainID: zeroId, outputs: [], inputs: [], memo: new Uint8Array() }
  return encode(signedPTx, {
    unsignedTx: {
      type: 'CreateChainTx',
      ...base,
      subnetID: zeroId,
      chainName,
      vmID: assetVmId,
      fxIDs: fxs.map(fxId),
      genesisData: new Uint8Array(),
      subnetAuthorization: { type: 'secp256k1fx.Input', signatureIndices: [] },
    },
    credentials: [],
  })
}
