import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pValidations } from '../p-validations.ts'
import { stakeAvaxColumns } from '../shared/avax-columns.ts'

const validation = pValidations.columns

export const pStakers = derivedView({
  name: 'p_stakers',
  comment:
    'One row per stake and weight: validators, delegators, and validators of subnets and L1s. The stakes at a time t have active_from <= t and not active_to <= t. Validators of the genesis are in no container, and neither are the rewards that auto-renewed validators stake again. Validators of L1s that ran out of balance or were disabled keep their row: see l1_validators.',
  dependsOn: ['p_validations', 'p_proposals', 'p_block_times'],
  columns: {
    network: viewColumn(validation.network),
    tx_id: viewColumn(validation.tx_id, 'Transaction that added the staker.'),
    position: viewColumn(validation.position),
    tx_type: viewColumn(validation.tx_type),
    staker_role: { type: 'VARCHAR', comment: 'validator or delegator.' },
    subnet_id: viewColumn(validation.subnet_id, 'Subnet that is validated.'),
    node_id: viewColumn(validation.node_id, 'Node that validates, or that received the delegation.'),
    validation_id: viewColumn(validation.validation_id, 'Validation id of an L1 validator; null for others.'),
    active_from: viewColumn(validation.start_time, 'When the stake begins (UTC), for L1 validators the weight.'),
    active_to: viewColumn(
      validation.end_time,
      'When it ended or will end (UTC); null where no end is known: L1 validators and auto-renewed validators that still validate.',
    ),
    end_reason: {
      type: 'VARCHAR',
      comment:
        'rewarded or not rewarded (Primary Network and elastic subnets), removed, expired (permissioned subnets), weight changed (L1: the next row continues); null for a stake that had not ended at the last block in the lake, or whose end the lake has not read.',
    },
    end_tx_id: viewColumn(validation.tx_id, 'Transaction that ended it; null without one.'),
    weight: viewColumn(validation.weight),
    ...stakeAvaxColumns,
    reward_addresses: viewColumn(
      validation.validation_reward_owner_addresses,
      'Addresses that receive the rewards, bech32 without chain prefix; null where the transaction names none.',
    ),
  },
})
