import { identity, month, nullable, t } from '../src/define/index.ts'
import {
  credentialColumns,
  networkColumn,
  outputOwnerColumns,
  ownerColumns,
  pBlockTimeColumn,
  pTransactionColumns,
  signatureIndicesColumn,
  spentColumns,
  stakeableLocktimeColumn,
  utxoPlaceColumns,
  wrapperColumns,
} from './shared/block-columns.ts'
import { partlyUnproven, table } from './shared/table.ts'

/** Key and partition of a table of P-Chain blocks; `position` are the columns that distinguish rows of a block. */
function ofPBlocks<const P extends readonly string[]>(...position: P) {
  return {
    key: ['network', 'height', ...position],
    sortBy: ['height', ...position],
    partitionBy: [identity('network'), month('block_time')],
  } as const
}

export const pBlocks = table({
  name: 'p_blocks',
  comment: 'One row per accepted P-Chain block.',
  ...ofPBlocks(),
  columns: {
    ...networkColumn,
    height: t.int64('Height of the block. The genesis block has height 0 and is in no index.'),
    block_id: t.cb58('Id of the inner block (without the proposervm wrapper): sha256 of its bytes.'),
    parent_id: t.cb58('Id of the inner parent block.'),
    block_type: t.text('Kind of the block, as named in avalanchego, such as BanffStandardBlock.'),
    ...pBlockTimeColumn,
    tx_count: t.int64('Number of transactions in the block, including the proposed one.'),
    ...wrapperColumns,
  },
})

export const pTransactions = table({
  name: 'p_transactions',
  comment:
    'One row per transaction of an accepted P-Chain block, including proposed transactions, whether committed or aborted.',
  ...ofPBlocks('tx_index'),
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

export const pInputs = table({
  name: 'p_inputs',
  comment: 'One row per input of a P-Chain transaction: first ordinary inputs, then imported ones.',
  ...ofPBlocks('tx_index', 'input_index'),
  columns: {
    ...pTransactionColumns,
    input_index: t.int64(
      'Position among the inputs of the transaction; imported inputs are numbered after the ordinary ones.',
    ),
    kind: t.text('transfer or import.'),
    ...spentColumns,
    amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).'),
    ...stakeableLocktimeColumn,
    ...signatureIndicesColumn,
  },
})

export const pOutputs = table({
  name: 'p_outputs',
  comment: 'One row per output of a P-Chain transaction: first ordinary outputs, then stake, then exported ones.',
  ...ofPBlocks('tx_index', 'output_index'),
  columns: {
    ...pTransactionColumns,
    output_index: t.int64('Index of the UTXO; stake and exported outputs are numbered after the ordinary ones.'),
    utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
    kind: t.text(
      'transfer, stake (not spendable until the staking ends) or export (the UTXO exists on the destination chain).',
    ),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).'),
    ...outputOwnerColumns,
    ...stakeableLocktimeColumn,
  },
})

export const pValidations = table({
  name: 'p_validations',
  comment: 'One row per validator or delegation that a P-Chain transaction adds, changes or removes.',
  ...ofPBlocks('tx_index', 'position'),
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

export const pCredentials = table({
  name: 'p_credentials',
  comment:
    'One row per signature of a P-Chain transaction. Written with --credentials; --signers also recovers the signers.',
  ...ofPBlocks('tx_index', 'credential_index', 'signature_index'),
  columns: { ...pTransactionColumns, ...credentialColumns },
})
const { asset_id, amount } = pOutputs.columns

export const pStateOutputs = table({
  name: 'p_state_outputs',
  comment:
    'One row per UTXO of the P-Chain that is in no container: rewards, refunded balances of L1 validators, genesis. Rows stay after the UTXO is spent.',
  key: ['network', 'utxo_id'],
  sortBy: ['tx_id', 'output_index'],
  columns: {
    ...networkColumn,
    ...utxoPlaceColumns,
    origin: t.text('reward, refund, genesis or unknown.').unproven(),
    staked_tx_id: t
      .cb58('Staking transaction that a reward belongs to; null for other origins.', nullable)
      .partlyUnproven(),
    ...partlyUnproven({ asset_id, amount, ...outputOwnerColumns, ...stakeableLocktimeColumn }),
  },
})
