import { hashedPart, wrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { encodeCb58, txIdInBlock } from '../../codec/ids.ts'
import { type PBlockValue, type PTx, pBlock, pTx } from '../../codec/p.ts'
import { type Chooser, createChooser } from '../network/choose.ts'
import { createWrapping, encodeNow, type GeneratedContainer } from '../network/container.ts'
import { genesisHash, since } from '../network/genesis.ts'
import { branchOf } from '../network/random.ts'
import type { NetworkState } from '../network/state.ts'
import { matureCoins } from '../network/wallets.ts'
import type { BuiltTx, TxKind } from './funding.ts'
import { type CreatedChain, createPState, moveClock, type PState } from './state.ts'
import { convertSubnetToL1Tx, l1Kinds } from './transactions/l1.ts'
import { renewedKinds, rewardTx, stakingKinds } from './transactions/staking.ts'
import { elasticKinds, subnetKinds } from './transactions/subnets.ts'
import { transferKinds } from './transactions/transfers.ts'

/** Creates the containers of the P-Chain one after the other and advances the clock of the network. */
type PChain = {
  /** Every blockchain that has been created so far. */
  readonly created: readonly CreatedChain[]
  next(): GeneratedContainer
}

export function createPChain(network: NetworkState, seed: number): PChain {
  const state = createPState(network)
  const wrapping = createWrapping(network, 'apricot4', branchOf(seed, 'P'))
  const nextDraft = createDrafts(state)
  let parentBlock = genesisBlockId(seed)
  let parentContainer = parentBlock
  let option: BlockDraft['option'] = null
  return {
    created: state.chains,
    next: () => {
      const isOption = option !== null
      const draft = option === null ? nextDraft() : optionDraft(state, option)
      option = draft.option
      network.pHeight += 1
      const common = { parentID: parentBlock, height: BigInt(network.pHeight) }
      const block = encodeNow(pBlock, { ...draft.body, ...common } as PBlockValue)
      const wrapper = wrapping(block, parentContainer, isOption)
      const bytes = wrap(wrapper)
      const id = sha256(hashedPart(bytes, wrapper))
      parentBlock = wrapper.type === 'none' ? id : sha256(block)
      parentContainer = id
      return { bytes, id, clock: network.clock, nanoseconds: network.random.below(1_000_000_000) }
    },
  }
}

/** The genesis block (height 0, not indexed). */
export function pGenesisBlock(seed: number): Uint8Array {
  return encodeNow(pBlock, { type: 'ApricotCommitBlock', parentID: genesisHash(seed, 'genesis'), height: 0n })
}

function genesisBlockId(seed: number): Uint8Array {
  return sha256(pGenesisBlock(seed))
}

/** The id of the genesis block as text. */
export function genesisBlockText(seed: number): string {
  return encodeCb58(genesisBlockId(seed))
}

function createDrafts(state: PState): () => BlockDraft {
  const chooser = createChooser(state, txKinds)
  return () => {
    moveClock(state)
    matureCoins(state)
    return since(state.network.era, 'banff') ? banffDraft(state, chooser) : apricotDraft(state, chooser)
  }
}

function optionDraft({ network, chainTime }: PState, option: 'commit' | 'abort'): BlockDraft {
  const time = BigInt(chainTime)
  const banff = since(network.era, 'banff')
  if (option === 'commit')
    return { body: banff ? { type: 'BanffCommitBlock', time } : { type: 'ApricotCommitBlock' }, option: null }
  return { body: banff ? { type: 'BanffAbortBlock', time } : { type: 'ApricotAbortBlock' }, option: null }
}

/** A block without parent and height, and the option that follows it. */
type BlockDraft = {
  readonly body: PBlockBody
  /** The decision of the next block about the proposal in this one; null without a proposal. */
  readonly option: 'commit' | 'abort' | null
}

/** The fields that are specific to a type of block. */
type PBlockBody = PBlockValue extends infer B ? (B extends unknown ? Omit<B, 'parentID' | 'height'> : never) : never

const stakingTypes = new Set(['AddValidatorTx', 'AddDelegatorTx', 'AddSubnetValidatorTx'])
const atomicTypes = new Set(['ImportTx', 'ExportTx'])

/**
 * A block from before Banff. Separate proposals advance the chain's time, staking transactions are proposals too, each import or export has
 * a block of its own (until Apricot 5), and standard blocks contain the rest.
 */
function apricotDraft(state: PState, chooser: Chooser<BuiltTx>): BlockDraft {
  const { random } = state.network
  if (state.stakes.firstTime() <= state.chainTime) return proposal(state, rewardTx(state, state.stakes.pop()!))
  const behind = Math.min(state.network.clock, state.stakes.firstTime())
  if (behind > state.chainTime && random.oneIn(3)) return proposal(state, advanceTime(state, behind))
  if (random.oneIn(4)) {
    const built = chooser.next((type) => stakingTypes.has(type))
    if (built !== null) return proposal(state, built)
  }
  if (!since(state.network.era, 'apricot5') && random.oneIn(3)) {
    const built = chooser.next((type) => atomicTypes.has(type))
    if (built !== null) return { body: { type: 'ApricotAtomicBlock', tx: settle(built) }, option: null }
  }
  const txs = settleSome(chooser, random.between(1, 3), (type) => {
    return !stakingTypes.has(type) && (since(state.network.era, 'apricot5') || !atomicTypes.has(type))
  })
  return { body: { type: 'ApricotStandardBlock', txs }, option: null }
}

/** A proposal and its outcome: one in twelve rewards is refused, and one in twenty of all other proposals. */
function decide(state: PState, built: BuiltTx): { readonly tx: PTx; readonly option: 'commit' | 'abort' } {
  const { tx, txId } = finishTx(built)
  const { abort } = built
  if (abort !== undefined && state.network.random.oneIn(built.credentials.length === 0 ? 12 : 20)) {
    abort(txId)
    return { tx, option: 'abort' }
  }
  built.accept(txId)
  return { tx, option: 'commit' }
}

function proposal(state: PState, built: BuiltTx): BlockDraft {
  const { tx, option } = decide(state, built)
  return { body: { type: 'ApricotProposalBlock', tx }, option }
}

/** Proposes a time. If it is refused, the same transaction is proposed again. */
function advanceTime(state: PState, time: number): BuiltTx {
  return {
    unsignedTx: { type: 'AdvanceTimeTx', time: BigInt(time) },
    credentials: [],
    accept: () => {
      state.chainTime = time
    },
    abort: () => {},
  }
}

/** Builds and accepts transactions one after the other, since each one changes what the next one can be. */
function settleSome(chooser: Chooser<BuiltTx>, count: number, suits?: (type: string) => boolean): PTx[] {
  const txs: PTx[] = []
  for (let tries = 0; tries < count; tries += 1) {
    const built = chooser.next(suits)
    if (built !== null) txs.push(settle(built))
  }
  return txs
}

/**
 * A block since Banff. It states its time, which is never later than the next end of a stake; at that time a proposal ends the stake. Since
 * Etna, a proposal block may also contain decision transactions.
 */
function banffDraft(state: PState, chooser: Chooser<BuiltTx>): BlockDraft {
  const { random } = state.network
  const time = BigInt(state.chainTime)
  if (state.stakes.firstTime() <= state.chainTime) {
    const reward = rewardTx(state, state.stakes.pop()!)
    const decisions = since(state.network.era, 'etna') && random.oneIn(5) ? random.between(1, 2) : 0
    const txs = settleSome(chooser, decisions)
    const { tx, option } = decide(state, reward)
    return { body: { type: 'BanffProposalBlock', time, txs, tx }, option }
  }
  const txs = settleSome(chooser, random.pick([1, 1, 1, 1, 1, 2, 2, 4]))
  return { body: { type: 'BanffStandardBlock', time, txs }, option: null }
}

/** Completes a transaction as a block contains it, and returns it with its id. */
function finishTx(built: BuiltTx): { readonly tx: PTx; readonly txId: Uint8Array } {
  const tx: PTx = { unsignedTx: built.unsignedTx, credentials: built.credentials }
  return { tx, txId: txIdInBlock(encodeNow(pTx, tx)) }
}

/** Applies an accepted transaction to the state. */
function settle(built: BuiltTx): PTx {
  const { tx, txId } = finishTx(built)
  built.accept(txId)
  return tx
}

/** All transactions that users send. The order must not change, because the chain of a seed depends on it. */
const txKinds: readonly TxKind[] = [
  ...transferKinds,
  ...stakingKinds,
  ...subnetKinds,
  ...elasticKinds,
  convertSubnetToL1Tx,
  ...l1Kinds,
  ...renewedKinds,
]
