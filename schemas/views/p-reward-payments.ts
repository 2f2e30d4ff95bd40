import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pStateOutputs } from '../p-state-outputs.ts'
import { pValidations } from '../p-validations.ts'
import { restRewards } from '../rest-rewards.ts'
import { amountAvaxColumns } from '../shared/avax-columns.ts'

const output = pStateOutputs.columns
const reward = restRewards.columns

export const pRewardPayments = derivedView({
  name: 'p_reward_payments',
  comment:
    'One row per UTXO that paid a staking reward, from p_state_outputs (pipelines rewards-utxos and utxo-set) or rest_rewards, whichever the lake has. Rewards that neither has are missing: no container holds them.',
  dependsOn: ['p_utxo_spans', 'rest_rewards', 'p_validations', 'chains'],
  columns: {
    network: viewColumn(output.network),
    utxo_id: viewColumn(output.utxo_id, 'UTXO that paid the reward.'),
    paid_at: viewColumn(reward.end_time, 'When it was paid (UTC); null where the lake has no block with the decision.'),
    height: {
      type: 'BIGINT',
      comment: 'Height of the block that decided the reward; null where the lake does not have it.',
    },
    reward_tx_id: viewColumn(reward.reward_tx_id, 'Transaction that paid the reward; null where it is not known.'),
    staked_tx_id: viewColumn(output.staked_tx_id, 'Staking transaction that was rewarded.'),
    staking_tx_type: viewColumn(
      pValidations.columns.tx_type,
      'Kind of the staking transaction; null where the lake does not have it.',
    ),
    node_id: viewColumn(pValidations.columns.node_id, 'Node that validated; null as above.'),
    reward_type: viewColumn(
      reward.reward_type,
      'VALIDATOR, DELEGATOR or VALIDATOR_FEE, as the REST service says; null without its row.',
    ),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount, 'Reward in the least unit of the asset (AVAX: nAVAX).'),
    ...amountAvaxColumns,
    addresses: viewColumn(output.addresses, 'Addresses that own the UTXO, bech32 without chain prefix.'),
  },
})
