import type { PBlockValue, PTx } from '../../../codec/p.ts'
import type { Chooser } from '../../network/choose.ts'
import { since } from '../../network/eras.ts'
import type { BuiltTx } from '../funding.ts'
import type { PState } from '../state.ts'
import { rewardTx } from '../transactions/rewards.ts'
import { finishTx, settle } from './settle.ts'

/** A block without parent and height, and the option that follows it. */
export type BlockDraft = {
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
export function apricotDraft(state: PState, chooser: Chooser<BuiltTx>): BlockDraft {
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
export function decide(state: PState, built: BuiltTx): { readonly tx: PTx; readonly option: 'commit' | 'abort' } {
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
export function settleSome(chooser: Chooser<BuiltTx>, count: number, suits?: (type: string) => boolean): PTx[] {
  const txs: PTx[] = []
  for (let tries = 0; tries < count; tries += 1) {
    const built = chooser.next(suits)
    if (built !== null) txs.push(settle(built))
  }
  return txs
}
