import { hashedPart, wrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { id, struct, u32, u64, versioned } from '../../codec/linear.ts'
import { type XCodec, xVertex } from '../../codec/x.ts'
import { type Chooser, createChooser } from '../network/choose.ts'
import { createWrapping, encodeNow, type GeneratedContainer } from '../network/container.ts'
import { chainIds, genesisHash, genesisTime, since, zeroId } from '../network/genesis.ts'
import { branchOf, type Random } from '../network/random.ts'
import type { NetworkState } from '../network/state.ts'
import { matureCoins } from '../network/wallets.ts'
import type { BuiltXTx, XKind } from './funding.ts'
import { type AssetChain, createXState, xChain } from './state.ts'
import { assetKinds } from './transactions/assets.ts'
import { operationKinds } from './transactions/operations.ts'
import { transferKinds } from './transactions/transfers.ts'

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

/** The fields of a StandardBlock before its transactions, which are already encoded. */
const headSchema = versioned(
  struct('head', { typeId: u32, parentID: id, height: u64, time: u64, merkleRoot: id, txs: u32 }),
)

/** Creates the next container of the linear chain with these transactions. */
type XBlocks = (txs: readonly SettledXTx[]) => { readonly bytes: Uint8Array; readonly id: Uint8Array }

/**
 * `type`: type id of the blocks. `before`: the parent that the genesis block names (height 0, not indexed). X-Chain blocks are always
 * wrapped.
 */
function createXBlocks(network: NetworkState, random: Random, before: Uint8Array, type: number): XBlocks {
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

/** An accepted transaction, with its bytes outside of a block. */
type SettledXTx = { readonly txId: Uint8Array; readonly bytes: Uint8Array }

/** Builds and accepts up to `count` transactions one after the other, since each one changes what the next one can be. */
function settleSomeX(chooser: Chooser<BuiltXTx>, count: number, codec: XCodec): SettledXTx[] {
  const settled: SettledXTx[] = []
  for (let tries = 0; tries < count; tries += 1) {
    const built = chooser.next()
    if (built !== null) settled.push(settleX(built, codec))
  }
  return settled
}

function settleX({ unsignedTx, credentials, accept }: BuiltXTx, { signedTx }: XCodec): SettledXTx {
  const bytes = encodeNow(signedTx, { unsignedTx, credentials })
  const txId = sha256(bytes)
  accept(txId)
  return { txId, bytes }
}

type Vertex = { readonly bytes: Uint8Array; readonly id: Uint8Array }

/** The X-Chain before Cortina: a graph of vertices. */
type XVertices = {
  /** Puts transactions into a vertex. */
  add(txs: readonly Uint8Array[]): Vertex
  /** Creates the last vertex. The linear chain follows it. */
  stop(): Vertex
}

type Tip = { readonly id: Uint8Array; readonly height: bigint }

/** The maximum number of vertices without a child. The next vertex then has all of them as parents. */
const mostTips = 3

function createXVertices(random: Random): XVertices {
  let tips: readonly Tip[] = []
  let lastParents: readonly Tip[] = []
  const grow = (parents: readonly Tip[], bytesOf: (height: bigint, parentIDs: Uint8Array[]) => Uint8Array): Vertex => {
    const height = parents.reduce((most, tip) => (tip.height >= most ? tip.height + 1n : most), 0n)
    const bytes = bytesOf(height, parents.map(({ id }) => id).sort(Buffer.compare))
    const id = sha256(bytes)
    tips = [...tips.filter((tip) => !parents.includes(tip)), { id, height }]
    lastParents = parents
    return { bytes, id }
  }
  const chainID = chainIds.X
  return {
    add: (txs) => {
      // Sometimes a vertex has the same parents as the last one.
      const parents = tips.length < mostTips && random.oneIn(3) ? lastParents : tips
      return grow(parents, (height, parentIDs) => {
        return encodeNow(xVertex, { type: 'Vertex', chainID, height, epoch: 0, parentIDs, txs })
      })
    },
    stop: () =>
      grow(tips, (height, parentIDs) => encodeNow(xVertex, { type: 'StopVertex', chainID, height, parentIDs })),
  }
}

/** All transactions that users of the X-Chain send. The order must not change, because the chain of a seed depends on it. */
const xKinds: readonly XKind[] = [...transferKinds, ...assetKinds, ...operationKinds]

/** The kinds of transactions that a chain can have. */
function kindsOf({ fxs, isShared }: AssetChain): readonly XKind[] {
  return xKinds.filter(
    (kind) => (isShared || !/^(Im|Ex)portTx/.test(kind.type)) && (kind.fxs ?? []).every((fx) => fxs.includes(fx)),
  )
}
