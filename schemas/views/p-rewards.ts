import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pValidations } from '../p-validations.ts'
import { stakeAvaxColumns } from '../shared/avax-columns.ts'
import { pProposals } from './p-proposals.ts'

const proposal = pProposals.columns
const validation = pValidations.columns

export const pRewards = derivedView({
  name: 'p_rewards',
  comment:
    'One row per RewardValidatorTx and RewardAutoRenewedValidatorTx: the staking transaction that it ends, and whether the reward was paid (committed) or not (aborted). The amount paid is in no container.',
  dependsOn: ['p_proposals', 'p_validations'],
  columns: {
    network: proposal.network,
    height: proposal.height,
    block_time: proposal.block_time,
    block_id: proposal.block_id,
    tx_index: proposal.tx_index,
    tx_id: proposal.tx_id,
    tx_type: proposal.tx_type,
    option_height: proposal.option_height,
    outcome: proposal.outcome,
    stake_ended: proposal.stake_ended,
    staked_tx_id: proposal.staked_tx_id,
    staking_tx_type: viewColumn(
      validation.tx_type,
      'Kind of the staking transaction. This column and those after it are null for stakers of the genesis, and where the transaction is missing in the lake.',
    ),
    staking_height: viewColumn(validation.height, 'Height of the block with the staking transaction.'),
    subnet_id: viewColumn(validation.subnet_id, 'Subnet that was validated.'),
    node_id: viewColumn(validation.node_id, 'Node that validated, or that received the delegation.'),
    start_time: viewColumn(validation.start_time),
    end_time: viewColumn(
      validation.end_time,
      'End as in the staking transaction (UTC); null for auto-renewed validators.',
    ),
    weight: viewColumn(
      validation.weight,
      'Stake of the validator or delegator at the start, on the Primary Network in nAVAX, on elastic subnets in the least unit of the staking asset.',
    ),
    ...stakeAvaxColumns,
  },
})
