import type { Chooser } from '../../network/choose.ts'
import { since } from '../../network/eras.ts'
import type { BuiltTx } from '../funding.ts'
import type { PState } from '../state.ts'
import { rewardTx } from '../transactions/rewards.ts'
import { type BlockDraft, decide, settleSome } from './apricot.ts'

/**
 * A block since Banff. It states its time, which is never later than the next end of a stake; at that time a proposal ends the stake. Since
 * Etna, a proposal block may also contain decision transactions.
 */
export function banffDraft(state: PState, chooser: Chooser<BuiltTx>): BlockDraft {
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
