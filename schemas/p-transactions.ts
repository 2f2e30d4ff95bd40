import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const pTransactions = table({
  name: 'p_transactions',
  comment: 'One row per transaction of an accepted P-chain block, proposals included whether or not they committed.',
  key: ['network', 'height', 'tx_index'],
  sortBy: ['height', 'tx_index'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    block_id: t.cb58('Id of the inner block.'),
    tx_type: t.text('Kind of the transaction by its name in the node, such as AddDelegatorTx.'),
    memo: t.blob('Memo; null for transactions that have no such field (19, 20 and 42).', nullable),
    source_chain_id: t.address('Chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Chain that an ExportTx exports to.', nullable),
    subnet_id: t.address(
      'Subnet that the transaction names; for a CreateSubnetTx the subnet that it creates (its own id).',
      nullable,
    ),
    blockchain_name: t.text('Name of the chain that a CreateChainTx creates.', nullable),
    vm_id: t.address('Virtual machine of the chain that a CreateChainTx creates.', nullable),
    fx_ids: t.list(t.address('Id.'), 'Feature extensions of the chain that a CreateChainTx creates.', nullable),
    genesis_data: t.blob('Genesis of the chain that a CreateChainTx creates.', nullable),
    staked_tx_id: t.cb58(
      'The staking transaction that a RewardValidatorTx or RewardAutoRenewedValidatorTx ends or a SetAutoRenewedValidatorConfigTx changes.',
      nullable,
    ),
    chain_time: t.timestamp('Chain time that an AdvanceTimeTx proposes (UTC).', nullable),
    chain_time_seconds: t.u64('The same in Unix seconds, exact where the time is out of range.', nullable),
    manager_chain_id: t.address('Chain of the validator manager (ConvertSubnetToL1Tx).', nullable),
    manager_address: t.blob('Address of the validator manager (ConvertSubnetToL1Tx).', nullable),
    ...ownerColumns('owner', 'the owner that a CreateSubnetTx or TransferSubnetOwnershipTx sets'),
    warp_message: t.blob('Signed warp message (RegisterL1ValidatorTx, SetL1ValidatorWeightTx).', nullable),
    asset_id: t.address('Staking asset (TransformSubnetTx).', nullable),
    initial_supply: t.u64('Initial supply (TransformSubnetTx).', nullable),
    maximum_supply: t.u64('Maximum supply (TransformSubnetTx).', nullable),
    min_consumption_rate: t.u64('Least consumption rate, of 1,000,000 (TransformSubnetTx).', nullable),
    max_consumption_rate: t.u64('Greatest consumption rate, of 1,000,000 (TransformSubnetTx).', nullable),
    min_validator_stake: t.u64('Least stake of a validator (TransformSubnetTx).', nullable),
    max_validator_stake: t.u64('Greatest stake of a validator (TransformSubnetTx).', nullable),
    min_stake_duration: t.int64('Least staking time in seconds (TransformSubnetTx).', nullable),
    max_stake_duration: t.int64('Greatest staking time in seconds (TransformSubnetTx).', nullable),
    min_delegation_fee: t.int64('Least delegation fee, of 1,000,000 (TransformSubnetTx).', nullable),
    min_delegator_stake: t.u64('Least stake of a delegator (TransformSubnetTx).', nullable),
    max_validator_weight_factor: t.int64(
      'Greatest weight of a validator with its delegators (TransformSubnetTx).',
      nullable,
    ),
    uptime_requirement: t.int64('Uptime needed for a reward, of 1,000,000 (TransformSubnetTx).', nullable),
    burned: t.decimal38(
      'Native asset burned, in its least unit: inputs - outputs of every kind - L1 balances; null without inputs or when the native asset is unknown.',
      nullable,
    ),
    input_count: t.int64('Inputs, imported ones included.'),
    output_count: t.int64('Outputs, stake and exported ones included.'),
    signature_count: t.int64('Signatures in all credentials.'),
    authorization_indices: t.list(
      t.int64('Index.'),
      'Which owners of the subnet, the validator or its configuration authorize the transaction; null where none has to.',
      nullable,
    ),
    reward_timestamp: t.u64(
      'End of the period that a RewardAutoRenewedValidatorTx rewards, in Unix seconds; null for other transactions.',
      nullable,
    ),
  },
})
export type PTransaction = RowOf<typeof pTransactions>
