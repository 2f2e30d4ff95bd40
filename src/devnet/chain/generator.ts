import { sha256 } from '../../codec/hash.ts'
import { encode } from '../../codec/linear/index.ts'
import { type PBlockValue, pBlock } from '../../codec/p/blocks.ts'
import { hashedPart, wrap } from '../../codec/proposervm.ts'
import { apricotDraft, type BlockDraft } from './apricot.ts'
import { banffDraft } from './banff.ts'
import { createTxChooser } from './choose.ts'
import { eras, since } from './eras.ts'
import { matureCoins } from './funding.ts'
import { genesisBlockId } from './genesis.ts'
import { type ChainState, createState } from './state.ts'
import { createWrapping } from './wrapping.ts'

/** Raised with every change of what a seed gives: caches of another version are not used. */
export const generatorVersion = 2

export type GeneratedContainer = {
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** When the node accepted it, in Unix seconds; nanoseconds come beside. */
  readonly clock: number
  readonly nanoseconds: number
}

/** Makes the containers of a chain one after the other, from index 0 on; the same seed makes the same ones. */
export type Generator = { readonly state: Readonly<ChainState>; next(): GeneratedContainer }

export function createGenerator(seed: number): Generator {
  const state = createState(seed)
  const chooser = createTxChooser(state)
  const wrapping = createWrapping(state)
  let parentBlock = genesisBlockId(seed)
  let parentContainer = parentBlock
  let option: BlockDraft['option'] = null
  return {
    state,
    next: () => {
      const isOption = option !== null
      const draft = option === null ? nextDraft(state, chooser) : optionDraft(state, option)
      option = draft.option
      state.height += 1
      const common = { parentID: parentBlock, height: BigInt(state.height) }
      const block = encode(pBlock, { ...draft.body, ...common } as PBlockValue)
      const wrapper = wrapping(block, parentContainer, isOption)
      const bytes = wrap(wrapper)
      const id = sha256(hashedPart(bytes, wrapper))
      parentBlock = wrapper.kind === 'none' ? id : sha256(block)
      parentContainer = id
      return { bytes, id, clock: state.clock, nanoseconds: state.random.below(1_000_000_000) }
    },
  }
}

function nextDraft(state: ChainState, chooser: ReturnType<typeof createTxChooser>): BlockDraft {
  moveClock(state)
  matureCoins(state)
  return since(state.era, 'banff') ? banffDraft(state, chooser) : apricotDraft(state, chooser)
}

function optionDraft(state: ChainState, option: 'commit' | 'abort'): BlockDraft {
  const time = BigInt(state.chainTime)
  const banff = since(state.era, 'banff')
  if (option === 'commit')
    return { body: banff ? { type: 'BanffCommitBlock', time } : { type: 'ApricotCommitBlock' }, option: null }
  return { body: banff ? { type: 'BanffAbortBlock', time } : { type: 'ApricotAbortBlock' }, option: null }
}

/**
 * Lets some seconds pass. When the next era's place has come the clock goes to its time, unless a stake ends before: those
 * are ended first. Since Banff the chain's time is the clock, which stops at every end of a stake.
 */
function moveClock(state: ChainState): void {
  const end = state.stakes.firstTime()
  const next = eras[eras.indexOf(state.era) + 1]
  const due = next !== undefined && state.height >= next.from
  const wanted = due ? next.time : state.clock + state.random.between(1, 40)
  const limit = next === undefined || due ? wanted : Math.min(wanted, next.time - 1)
  if (since(state.era, 'banff')) {
    state.clock = Math.max(state.clock, Math.min(limit, end))
    state.chainTime = state.clock
  } else {
    state.clock = Math.max(state.clock, limit)
  }
  if (due && state.clock >= next.time && caughtUp(state, next.time)) state.era = next
}

/** Whether nothing ends before an era begins; chain time follows the clock by proposals before Banff. */
function caughtUp(state: ChainState, time: number): boolean {
  return state.stakes.firstTime() > state.chainTime && (!since(state.era, 'apricot5') || state.chainTime >= time)
}
