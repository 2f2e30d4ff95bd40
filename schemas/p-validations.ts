import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const pValidations = table({
  name: 'p_validations',
  comment: 'One row per validator or delegation that a P-chain transaction touches.',
  key: ['network', 'height', 'tx_index', 'position'],
  sortBy: ['height', 'tx_index', 'position'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    position: t.int64('Position in the transaction; 0 but for ConvertSubnetToL1Tx, which sets several validators.'),
    tx_type: t.text('Kind of the transaction.'),
    action: t.text('add, delegate, remove, set_weight, add_balance, disable or configure.'),
    subnet_id: t.address('Subnet that is validated; null where the transaction does not say it.', nullable),
    node_id: t.address(
      'NodeID-…; for validators of an L1 of any length; null where the transaction does not say it.',
      nullable,
    ),
    validation_id: t.cb58('Validation id of a validator of an L1.', nullable),
    staked_tx_id: t.cb58('The staking transaction that is configured (SetAutoRenewedValidatorConfigTx).', nullable),
    stated_start: t.u64(
      'Start in Unix seconds as the transaction states it; ignored by the node since Durango.',
      nullable,
    ),
    start_time: t.timestamp("Start (UTC): the stated one before Durango, the block's since.", nullable),
    stated_end: t.u64('End in Unix seconds as the transaction states it.', nullable),
    end_time: t.timestamp('The same as a time (UTC); null where it is out of range or there is none.', nullable),
    weight: t.u64('Weight: the stake of primary-network and elastic validators and delegators.', nullable),
    delegation_shares: t.int64('Share of the delegation rewards that the validator keeps, of 1,000,000.', nullable),
    bls_public_key: t.hex('BLS public key, 48 bytes.', nullable),
    proof_of_possession: t.blob(
      'BLS signature of the public key, which proves that the validator has its secret key; 96 bytes.',
      nullable,
    ),
    balance: t.u64('Balance that the transaction gives to a validator of an L1.', nullable),
    nonce: t.u64('Nonce of the weight message (SetL1ValidatorWeightTx).', nullable),
    expiry: t.u64('Unix seconds until which the registration may be used (RegisterL1ValidatorTx).', nullable),
    period: t.u64('Staking period in seconds of an auto-renewed validator; 0 in a configuration: stop.', nullable),
    auto_compound_reward_shares: t.int64('Share of the rewards that is staked again, of 1,000,000.', nullable),
    ...ownerColumns('validation_reward_owner', 'the owner of the validation rewards (of the rewards, for delegators)'),
    ...ownerColumns('delegation_reward_owner', 'the owner of the delegation rewards'),
    ...ownerColumns('remaining_balance_owner', 'the owner of what remains of the balance'),
    ...ownerColumns('deactivation_owner', 'the owner that may disable the validator'),
    ...ownerColumns('validator_authority', 'the owner that may configure an auto-renewed validator'),
  },
})
export type PValidation = RowOf<typeof pValidations>
