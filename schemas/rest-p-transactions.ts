import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { assetSums, utxoList } from './shared/rest-utxo-columns.ts'
import { chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

const l1ValidatorFields = {
  validation_id: t.cb58('Validation id.'),
  validation_id_hex: t.hex('The same as hex.'),
  node_id: t.address('Node.'),
  subnet_id: t.address('Subnet of the L1.'),
  weight: t.u64('Weight after the transaction.'),
  remaining_balance: t.u64('Balance left for its fees, in the least unit of the native asset.'),
  balance_change: t.decimal38('Change of that balance, negative when it fell; null without one.', nullable),
  bls_public_key: t.hex('BLS public key of its credentials; null where the service leaves it out.', nullable),
  bls_proof_of_possession: t.hex('Proof of possession of that key; null where the service leaves it out.', nullable),
  bls_credentials_json: t.text('The credentials whole, as JSON; null where the service leaves them out.', nullable),
}

const feeConfigFields = {
  gas_limit: t.u64('Gas limit of a block.', nullable),
  target_block_rate: t.int64('Seconds between two blocks aimed at.', nullable),
  target_gas: t.int64('Gas aimed at in ten seconds.', nullable),
  min_base_fee: t.decimal38('Least base fee in wei.', nullable),
  base_fee_change_denominator: t.int64('Slows changes of the base fee.', nullable),
  min_block_gas_cost: t.int64('Least gas cost of a block.', nullable),
  max_block_gas_cost: t.int64('Greatest gas cost of a block.', nullable),
  block_gas_cost_step: t.int64('Change of the gas cost for each second off the aim.', nullable),
}

export const restPTransactions = table({
  name: 'rest_p_transactions',
  comment: 'One row per P-chain transaction of the service, with the UTXOs that it spends and makes.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: [
    'height',
    'block_time',
    'block_id',
    'tx_type',
    'node_id',
    'subnet_id',
    'source_chain_id',
    'destination_chain_id',
  ],
  columns: {
    ...chainColumns,
    height: t.int64('Height of the block.'),
    block_time: t.timestamp('Time of the block (UTC).'),
    block_id: t.cb58('Id of the inner block.'),
    tx_id: t.cb58('Id of the transaction.'),
    tx_type: t.text('Kind of the transaction, such as AddDelegatorTx; names that are not known pass.'),
    memo: t.blob('Memo: the bytes of a 0x text, else the UTF-8 bytes; null where the service leaves it out.', nullable),
    source_chain_id: t.address('Chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Chain that an ExportTx exports to.', nullable),
    amounts: assetSums('Value of the transaction by asset (value of the service).'),
    amount_burned: assetSums('What it burned by asset.'),
    amount_staked: assetSums('What it staked by asset.'),
    amount_l1_validator_balance_burned: assetSums('What it burned of balances of L1 validators, by asset.'),
    start_time: t.timestamp('Start of the staking (UTC): the time of the block.', nullable),
    end_time: t.timestamp('End of the staking (UTC).', nullable),
    delegation_fee_percent: t.double('Share of delegation rewards that the validator keeps, in percent.', nullable),
    node_id: t.address('Node that validates or is delegated to.', nullable),
    subnet_id: t.address('Subnet that the transaction names.', nullable),
    manager_chain_id: t.address('Chain of the validator manager (ConvertSubnetToL1Tx).', nullable),
    manager_address: t.blob('Address of the validator manager (ConvertSubnetToL1Tx).', nullable),
    l1_validator_details: t.list(
      t.struct(l1ValidatorFields, 'Validator.'),
      'Validators of an L1 that it touches.',
      nullable,
    ),
    estimated_reward: t.u64('Reward to be expected when the staking began.', nullable),
    reward_tx_id: t.cb58('Transaction that paid the reward.', nullable),
    staked_tx_id: t.cb58('The staking transaction that a reward ends (stakingTxHash of the service).', nullable),
    reward_addresses: t.list(t.address('Address.'), 'Who gets the reward, without chain prefix.', nullable),
    ...ownerColumns('owner', 'the owner of the subnet that the transaction sets'),
    bls_public_key: t.hex('BLS public key of the validator.', nullable),
    bls_proof_of_possession: t.hex('Proof of possession of that key.', nullable),
    blockchain_name: t.text('Name of the chain that a CreateChainTx creates.', nullable),
    vm_id: t.address('Virtual machine of the chain that a CreateChainTx creates.', nullable),
    genesis_json: t.text(
      'Genesis of that chain: JSON with exact numbers where the service gives an object, else its text.',
      nullable,
    ),
    evm_chain_id: t.u64('EVM chain id of that genesis; null of other genesis.', nullable),
    evm_fee_config: t.struct(feeConfigFields, 'Fees that this genesis sets (feeConfig).', nullable),
    consumed_utxos: utxoList('UTXOs that it spends.'),
    emitted_utxos: utxoList('UTXOs that it makes.'),
    ...chainNameColumn,
  },
})
export type RestPTransaction = RowOf<typeof restPTransactions>
