import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const pValidations = table({
  name: 'p_validations',
  comment: 'One row per validator or delegation that a P-Chain transaction adds, changes or removes.',
  key: ['network', 'height', 'tx_index', 'position'],
  sortBy: ['height', 'tx_index', 'position'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    position: t.int64(
      'Position in the transaction, from 0; above 0 only for a ConvertSubnetToL1Tx with several validators.',
    ),
    tx_type: t.text('Kind of the transaction.'),
    action: t.text('add, delegate, remove, set_weight, add_balance, disable or configure.'),
    subnet_id: t.address('Subnet that is validated; null where the transaction does not contain it.', nullable),
    node_id: t.address(
      'Node id, NodeID-…; for L1 validators of any length; null where the transaction does not contain it.',
      nullable,
    ),
    validation_id: t.cb58('Validation id of an L1 validator.', nullable),
    staked_tx_id: t.cb58('Staking transaction that is reconfigured (SetAutoRenewedValidatorConfigTx).', nullable),
    stated_start: t.u64(
      'Start as in the transaction, Unix time in seconds; the node ignores it since Durango.',
      nullable,
    ),
    start_time: t.timestamp(
      'Start (UTC): before Durango the stated one, since Durango the time of the block.',
      nullable,
    ),
    stated_end: t.u64('End as in the transaction, Unix time in seconds.', nullable),
    end_time: t.timestamp('The same as a timestamp (UTC); null where it is out of range or there is none.', nullable),
    weight: t.u64(
      'Weight. For stakers of the Primary Network this is the stake in nAVAX, for those of elastic subnets in the least unit of the staking asset.',
      nullable,
    ),
    delegation_shares: t.int64('Share of delegation rewards that the validator keeps, in parts per million.', nullable),
    bls_public_key: t.hex('BLS public key, 48 bytes.', nullable),
    proof_of_possession: t.blob('Proof of possession: BLS signature of the public key, 96 bytes.', nullable),
    balance: t.u64('Balance that the transaction gives to an L1 validator, in nAVAX.', nullable),
    nonce: t.u64('Nonce of the weight message (SetL1ValidatorWeightTx).', nullable),
    expiry: t.u64('Unix time in seconds at which the registration expires (RegisterL1ValidatorTx).', nullable),
    period: t.u64(
      'Staking period of an auto-renewed validator in seconds; 0 in a SetAutoRenewedValidatorConfigTx: the validator stops.',
      nullable,
    ),
    auto_compound_reward_shares: t.int64('Share of rewards that is staked again, in parts per million.', nullable),
    ...ownerColumns('validation_reward_owner', 'the owner of the validation rewards (for delegators: of all rewards)'),
    ...ownerColumns('delegation_reward_owner', 'the owner of the delegation rewards'),
    ...ownerColumns('remaining_balance_owner', 'the owner of the remaining balance'),
    ...ownerColumns('deactivation_owner', 'the owner that can disable the validator'),
    ...ownerColumns('validator_authority', 'the owner that can configure an auto-renewed validator'),
  },
})
export type PValidation = RowOf<typeof pValidations>
