import { type BlockDraft, decide, settleSome } from './apricot.ts'
import type { TxChooser } from './choose.ts'
import { since } from './eras.ts'
import type { ChainState } from './state.ts'
import { rewardTx } from './transactions/rewards.ts'

/**
 * A block since Banff: it states its time, never later than the next end of a stake; at that time a proposal ends it.
 * Since Etna a proposal may have decided transactions beside it.
 */
export function banffDraft(state: ChainState, chooser: TxChooser): BlockDraft {
  const { random } = state
  const time = BigInt(state.chainTime)
  if (state.stakes.firstTime() <= state.chainTime) {
    const reward = rewardTx(state, state.stakes.pop()!)
    const beside = since(state.era, 'etna') && random.oneIn(5) ? random.between(1, 2) : 0
    const txs = settleSome(chooser, beside, () => true)
    const { tx, option } = decide(state, reward)
    return { body: { type: 'BanffProposalBlock', time, txs, tx }, option }
  }
  const txs = settleSome(chooser, random.pick([1, 1, 1, 1, 1, 2, 2, 4]), () => true)
  return { body: { type: 'BanffStandardBlock', time, txs }, option: null }
}
