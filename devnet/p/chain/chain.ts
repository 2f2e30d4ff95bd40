import { hashedPart, wrap } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { encodeCb58 } from '../../../codec/ids.ts'
import { type PBlockValue, pBlock } from '../../../codec/p.ts'
import { createChooser } from '../../network/choose.ts'
import type { GeneratedContainer } from '../../network/container.ts'
import { encodeNow } from '../../network/encode.ts'
import { since } from '../../network/eras.ts'
import { genesisHash } from '../../network/genesis.ts'
import { branchOf } from '../../network/random.ts'
import type { NetworkState } from '../../network/state.ts'
import { createWrapping } from '../../network/wrapping.ts'
import { matureCoins } from '../../utxo/funding.ts'
import { moveClock } from '../clock.ts'
import type { CreatedChain } from '../registry.ts'
import { createPState, type PState } from '../state.ts'
import { txKinds } from '../transactions/index.ts'
import { apricotDraft, type BlockDraft } from './apricot.ts'
import { banffDraft } from './banff.ts'

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
