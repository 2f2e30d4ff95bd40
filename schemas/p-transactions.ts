import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const pTransactions = table({
  name: 'p_transactions',
  comment:
    'One row per transaction of an accepted P-Chain block, including proposed transactions, whether committed or aborted.',
  key: ['network', 'height', 'tx_index'],
  sortBy: ['height', 'tx_index'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    block_id: t.cb58('Id of the inner block.'),
    tx_type: t.text('Kind of the transaction, as named in avalanchego, such as AddDelegatorTx.'),
    memo: t.blob('Memo; null for transaction types without this field (19, 20 and 42).', nullable),
    source_chain_id: t.address('Id of the chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Id of the chain that an ExportTx exports to.', nullable),
    subnet_id: t.address(
      'Subnet that the transaction names; for a CreateSubnetTx its own id, which is that of the new subnet.',
      nullable,
    ),
    blockchain_name: t.text('Name of the chain that a CreateChainTx creates.', nullable),
    vm_id: t.address('Virtual machine of the chain that a CreateChainTx creates.', nullable),
    fx_ids: t.list(t.address('Id.'), 'Feature extensions of the chain that a CreateChainTx creates.', nullable),
    genesis_data: t.blob('Genesis bytes of the chain that a CreateChainTx creates.', nullable),
    staked_tx_id: t.cb58(
      'The staking transaction that a RewardValidatorTx or RewardAutoRenewedValidatorTx ends or a SetAutoRenewedValidatorConfigTx changes.',
      nullable,
    ),
    chain_time: t.timestamp('Chain time that an AdvanceTimeTx proposes (UTC); null when out of range.', nullable),
    chain_time_seconds: t.u64('The same as Unix time in seconds, also when it is out of range.', nullable),
    manager_chain_id: t.address('Chain of the validator manager (ConvertSubnetToL1Tx).', nullable),
    manager_address: t.blob('Address of the validator manager (ConvertSubnetToL1Tx).', nullable),
    ...ownerColumns('owner', 'the owner that a CreateSubnetTx or TransferSubnetOwnershipTx sets'),
    warp_message: t.blob('Signed warp message (RegisterL1ValidatorTx, SetL1ValidatorWeightTx).', nullable),
    asset_id: t.address('Staking asset (TransformSubnetTx).', nullable),
    initial_supply: t.u64('Initial supply in the least unit of the staking asset (TransformSubnetTx).', nullable),
    maximum_supply: t.u64('Maximum supply in the least unit of the staking asset (TransformSubnetTx).', nullable),
    min_consumption_rate: t.u64('Minimum consumption rate in parts per million (TransformSubnetTx).', nullable),
    max_consumption_rate: t.u64('Maximum consumption rate in parts per million (TransformSubnetTx).', nullable),
    min_validator_stake: t.u64(
      'Minimum stake of a validator in the least unit of the staking asset (TransformSubnetTx).',
      nullable,
    ),
    max_validator_stake: t.u64(
      'Maximum stake of a validator in the least unit of the staking asset (TransformSubnetTx).',
      nullable,
    ),
    min_stake_duration: t.int64('Minimum staking time in seconds (TransformSubnetTx).', nullable),
    max_stake_duration: t.int64('Maximum staking time in seconds (TransformSubnetTx).', nullable),
    min_delegation_fee: t.int64('Minimum delegation fee in parts per million (TransformSubnetTx).', nullable),
    min_delegator_stake: t.u64(
      'Minimum stake of a delegator in the least unit of the staking asset (TransformSubnetTx).',
      nullable,
    ),
    max_validator_weight_factor: t.int64(
      'Maximum total weight of a validator and its delegators, as a multiple of its own stake (TransformSubnetTx).',
      nullable,
    ),
    uptime_requirement: t.int64('Uptime needed for a reward, in parts per million (TransformSubnetTx).', nullable),
    burned: t.decimal38(
      'AVAX burned, in nAVAX: inputs minus outputs of every kind minus balances of L1 validators; null without inputs, or when the native asset of the network is unknown.',
      nullable,
    ),
    input_count: t.int64('Number of inputs, including imported ones.'),
    output_count: t.int64('Number of outputs, including stake and exported ones.'),
    signature_count: t.int64('Number of signatures in all credentials.'),
    authorization_indices: t.list(
      t.int64('Index.'),
      'Indices of the owners (of the subnet, the validator or its configuration) that authorize the transaction; null where no authorization is needed.',
      nullable,
    ),
    reward_timestamp: t.u64(
      'End of the period that a RewardAutoRenewedValidatorTx rewards, Unix time in seconds; null for other transactions.',
      nullable,
    ),
  },
})
export type PTransaction = RowOf<typeof pTransactions>
