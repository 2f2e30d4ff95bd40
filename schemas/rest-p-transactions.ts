import { identity, month, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { ownerColumns, ownerNames } from './shared/owner-columns.ts'
import { assetSums, memo, utxoList } from './shared/rest-utxo-columns.ts'
import { chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

const l1ValidatorFields = {
  validation_id: t.cb58('Validation id of the L1 validator.').at('validationId'),
  validation_id_hex: t.hex('The same in hex.').at('validationIdHex'),
  node_id: t.address('Node id, NodeID-….').at('nodeId', 'nodeId'),
  subnet_id: t.address('Subnet of the L1.').at('subnetId', 'id'),
  weight: t
    .u64('Weight of the validator after the transaction, a number without a unit that the L1 chooses.')
    .at('weight'),
  remaining_balance: t.u64('Balance left for fees, in nAVAX.').at('remainingBalance'),
  balance_change: t
    .decimal38('Change of that balance in nAVAX, negative for a decrease; null without a change.', nullable)
    .at('balanceChange', 'difference'),
  bls_public_key: t
    .hex('BLS public key of the validator; null where the service leaves it out.', nullable)
    .at('blsCredentials'),
  bls_proof_of_possession: t
    .hex('Proof of possession of that key; null where the service leaves it out.', nullable)
    .at('blsCredentials'),
  bls_credentials_json: t
    .text('All BLS credentials as JSON; null where the service leaves them out.', nullable)
    .at('blsCredentials', 'json'),
}

const feeConfigFields = {
  gas_limit: t.u64('Gas limit of a block.', nullable),
  target_block_rate: t.int64('Target time between two blocks, in seconds.', nullable),
  target_gas: t.int64('Target gas per ten seconds.', nullable),
  min_base_fee: t.decimal38('Minimum base fee in wei per gas.', nullable),
  base_fee_change_denominator: t.int64('Denominator that limits changes of the base fee.', nullable),
  min_block_gas_cost: t.int64('Minimum cost of a block in gas.', nullable),
  max_block_gas_cost: t.int64('Maximum cost of a block in gas.', nullable),
  block_gas_cost_step: t.int64('Change of the block cost in gas per second of difference from the target.', nullable),
}

export const restPTransactions = table({
  name: 'rest_p_transactions',
  comment: 'One row per P-Chain transaction that the service lists, with the UTXOs that it spends and creates.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['owner_threshold', 'owner_locktime'],
  unproven: {
    never: ['chain_name', ...ownerNames('owner')],
  },
  columns: {
    ...chainColumns,
    height: t.int64('Height of the block.').at('blockNumber|blockHeight').lasting().partlyUnproven(),
    block_time: t.timestamp('Time of the block (UTC).').at('blockTimestamp|timestamp').lasting().partlyUnproven(),
    block_id: t.cb58('Id of the inner block.').at('blockHash').lasting().partlyUnproven(),
    tx_id: t.cb58('Id of the transaction.').at('txHash').partlyUnproven(),
    tx_type: t
      .text('Kind of the transaction, such as AddDelegatorTx; unknown names are kept.')
      .at('txType', 'word')
      .lasting()
      .partlyUnproven(),
    memo: memo.partlyUnproven(),
    source_chain_id: t
      .address('Id of the chain that an ImportTx imports from.', nullable)
      .at('sourceChain', 'chainId')
      .lasting()
      .partlyUnproven(),
    destination_chain_id: t
      .address('Id of the chain that an ExportTx exports to.', nullable)
      .at('destinationChain', 'chainId')
      .lasting()
      .partlyUnproven(),
    amounts: assetSums('Value of the transaction by asset (value in the API).').at('value').unproven(),
    amount_burned: assetSums('Amounts burned, by asset.').at('amountBurned').unproven(),
    amount_staked: assetSums('Amounts staked, by asset.').at('amountStaked').unproven(),
    amount_l1_validator_balance_burned: assetSums('Amounts burned from balances of L1 validators, by asset.')
      .at('amountL1ValidatorBalanceBurned')
      .unproven(),
    start_time: t
      .timestamp('Start of the staking (UTC): time of the block.', nullable)
      .at('startTimestamp')
      .lasting()
      .unproven(),
    end_time: t.timestamp('End of the staking (UTC).', nullable).at('endTimestamp').lasting().partlyUnproven(),
    delegation_fee_percent: t
      .double('Share of delegation rewards that the validator keeps, in percent.', nullable)
      .at('delegationFeePercent', 'percent')
      .lasting()
      .partlyUnproven(),
    node_id: t
      .address('Node that validates, or that receives the delegation.', nullable)
      .at('nodeId', 'nodeId')
      .lasting()
      .partlyUnproven(),
    subnet_id: t
      .address('Subnet that the transaction names.', nullable)
      .at('subnetId', 'id')
      .lasting()
      .partlyUnproven(),
    manager_chain_id: t
      .address('Chain of the validator manager (ConvertSubnetToL1Tx).', nullable)
      .at('l1ValidatorManagerDetails.blockchainId', 'id')
      .partlyUnproven(),
    manager_address: t
      .blob('Address of the validator manager (ConvertSubnetToL1Tx).', nullable)
      .at('l1ValidatorManagerDetails.contractAddress')
      .partlyUnproven(),
    l1_validator_details: t
      .list(t.struct(l1ValidatorFields, 'Validator.'), 'L1 validators that the transaction changes.', nullable)
      .at('l1ValidatorDetails')
      .unproven(),
    estimated_reward: t
      .u64(
        'Expected reward at the start of the staking, in the least unit of the staking asset (Primary Network: nAVAX).',
        nullable,
      )
      .at('estimatedReward')
      .unproven(),
    reward_tx_id: t.cb58('Transaction that paid the reward.', nullable).at('rewardTxHash').unproven(),
    staked_tx_id: t
      .cb58('Staking transaction that a reward transaction ends (stakingTxHash in the API).', nullable)
      .at('stakingTxHash')
      .partlyUnproven(),
    reward_addresses: t
      .list(t.address('Address.'), 'Addresses that receive the reward, bech32 without chain prefix.', nullable)
      .at('rewardAddresses', 'owner')
      .unproven(),
    ...ownerColumns('owner', 'the subnet owner that the transaction sets', 'subnetOwnershipInfo'),
    bls_public_key: t
      .hex('BLS public key of the validator.', nullable)
      .at('blsCredentials.publicKey')
      .lasting()
      .partlyUnproven(),
    bls_proof_of_possession: t
      .hex('Proof of possession of that key.', nullable)
      .at('blsCredentials.proofOfPossession')
      .lasting()
      .partlyUnproven(),
    blockchain_name: t
      .text('Name of the chain that a CreateChainTx creates.', nullable)
      .at('blockchainInfo.chainName')
      .partlyUnproven(),
    vm_id: t
      .address('Virtual machine of the chain that a CreateChainTx creates.', nullable)
      .at('blockchainInfo.vmId', 'word')
      .partlyUnproven(),
    genesis_json: t
      .text(
        'Genesis of that chain: JSON with exact numbers where the service returns an object, otherwise the text as returned.',
        nullable,
      )
      .at('blockchainInfo.genesisData')
      .unproven(),
    evm_chain_id: t
      .u64('EVM chain id in that genesis; null when it has none.', nullable)
      .at('blockchainInfo.genesisData')
      .lasting()
      .unproven(),
    evm_fee_config: t
      .struct(feeConfigFields, 'Fee configuration in that genesis (feeConfig).', nullable)
      .at('blockchainInfo.genesisData')
      .unproven(),
    consumed_utxos: utxoList('UTXOs that the transaction spends.').at('consumedUtxos').unproven(),
    emitted_utxos: utxoList('UTXOs that the transaction creates.').at('emittedUtxos').unproven(),
    ...chainNameColumn,
  },
})
