import { below, identity, month, nullable, t } from '../src/define/index.ts'
import { chainColumns, networkColumn, ownerColumns } from './shared/block-columns.ts'
import {
  assetAmountFields,
  assetLookFields,
  assetSums,
  chainNameColumn,
  credentialFields,
  maybeUtxoList,
  memo,
  observationColumns,
  observedTable,
  presentColumn,
  transactionSums,
  utxoColumns,
  utxoList,
  versionColumns,
} from './shared/service-columns.ts'
import { lasting, partlyUnproven, table, unproven } from './shared/table.ts'

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
  lasting: ['owner_threshold', 'owner_locktime'],
  columns: {
    ...chainColumns,
    ...partlyUnproven({
      height: t.int64('Height of the block.').at('blockNumber|blockHeight').lasting(),
      block_time: t.timestamp('Time of the block (UTC).').at('blockTimestamp|timestamp').lasting(),
      block_id: t.cb58('Id of the inner block.').at('blockHash').lasting(),
      tx_id: t.cb58('Id of the transaction.').at('txHash'),
      tx_type: t
        .text('Kind of the transaction, such as AddDelegatorTx; unknown names are kept.')
        .at('txType', 'word')
        .lasting(),
      memo,
      source_chain_id: t
        .address('Id of the chain that an ImportTx imports from.', nullable)
        .at('sourceChain', 'chainId')
        .lasting(),
      destination_chain_id: t
        .address('Id of the chain that an ExportTx exports to.', nullable)
        .at('destinationChain', 'chainId')
        .lasting(),
    }),
    ...unproven({
      amounts: assetSums('Value of the transaction by asset (value in the API).').at('value'),
      amount_burned: assetSums('Amounts burned, by asset.').at('amountBurned'),
      amount_staked: assetSums('Amounts staked, by asset.').at('amountStaked'),
      amount_l1_validator_balance_burned: assetSums('Amounts burned from balances of L1 validators, by asset.').at(
        'amountL1ValidatorBalanceBurned',
      ),
      start_time: t
        .timestamp('Start of the staking (UTC): time of the block.', nullable)
        .at('startTimestamp')
        .lasting(),
    }),
    ...partlyUnproven({
      end_time: t.timestamp('End of the staking (UTC).', nullable).at('endTimestamp').lasting(),
      delegation_fee_percent: t
        .double('Share of delegation rewards that the validator keeps, in percent.', nullable)
        .at('delegationFeePercent', 'percent')
        .lasting(),
      node_id: t
        .address('Node that validates, or that receives the delegation.', nullable)
        .at('nodeId', 'nodeId')
        .lasting(),
      subnet_id: t.address('Subnet that the transaction names.', nullable).at('subnetId', 'id').lasting(),
      manager_chain_id: t
        .address('Chain of the validator manager (ConvertSubnetToL1Tx).', nullable)
        .at('l1ValidatorManagerDetails.blockchainId', 'id'),
      manager_address: t
        .blob('Address of the validator manager (ConvertSubnetToL1Tx).', nullable)
        .at('l1ValidatorManagerDetails.contractAddress'),
    }),
    ...unproven({
      l1_validator_details: t
        .list(t.struct(l1ValidatorFields, 'Validator.'), 'L1 validators that the transaction changes.', nullable)
        .at('l1ValidatorDetails'),
      estimated_reward: t
        .u64(
          'Expected reward at the start of the staking, in the least unit of the staking asset (Primary Network: nAVAX).',
          nullable,
        )
        .at('estimatedReward'),
      reward_tx_id: t.cb58('Transaction that paid the reward.', nullable).at('rewardTxHash'),
    }),
    staked_tx_id: t
      .cb58('Staking transaction that a reward transaction ends (stakingTxHash in the API).', nullable)
      .at('stakingTxHash')
      .partlyUnproven(),
    ...unproven({
      reward_addresses: t
        .list(t.address('Address.'), 'Addresses that receive the reward, bech32 without chain prefix.', nullable)
        .at('rewardAddresses', 'owner'),
      ...ownerColumns('owner', 'the subnet owner that the transaction sets', 'subnetOwnershipInfo'),
    }),
    ...partlyUnproven({
      bls_public_key: t.hex('BLS public key of the validator.', nullable).at('blsCredentials.publicKey').lasting(),
      bls_proof_of_possession: t
        .hex('Proof of possession of that key.', nullable)
        .at('blsCredentials.proofOfPossession')
        .lasting(),
      blockchain_name: t
        .text('Name of the chain that a CreateChainTx creates.', nullable)
        .at('blockchainInfo.chainName'),
      vm_id: t
        .address('Virtual machine of the chain that a CreateChainTx creates.', nullable)
        .at('blockchainInfo.vmId', 'word'),
    }),
    ...unproven({
      genesis_json: t
        .text(
          'Genesis of that chain: JSON with exact numbers where the service returns an object, otherwise the text as returned.',
          nullable,
        )
        .at('blockchainInfo.genesisData'),
      evm_chain_id: t
        .u64('EVM chain id in that genesis; null when it has none.', nullable)
        .at('blockchainInfo.genesisData')
        .lasting(),
      evm_fee_config: t
        .struct(feeConfigFields, 'Fee configuration in that genesis (feeConfig).', nullable)
        .at('blockchainInfo.genesisData'),
    }),
    consumed_utxos: utxoList('UTXOs that the transaction spends.').at('consumedUtxos').unproven(),
    emitted_utxos: utxoList('UTXOs that the transaction creates.').at('emittedUtxos').unproven(),
    ...chainNameColumn,
  },
})

const createdAssetFields = {
  asset_id: t.address('Id of the asset.').at('assetId', 'id'),
  name: t.text('Name of the asset; null where the service leaves it out.', nullable).at('name'),
  symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable).at('symbol'),
  denomination: t
    .int64('Decimal places of the asset; null where the service leaves it out.', nullable)
    .at('denomination', 'u8'),
  type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable).at('type', 'word'),
  created_time: t
    .timestamp('When the asset was created (UTC); null where the service leaves it out.', nullable)
    .at('createdAtTimestamp'),
  cap: t.text('fixed or variable; null where the service leaves it out.', nullable).at('cap', 'word'),
}

const vertexFields = {
  vertex_hash: t.cb58('Id of the vertex.').at('hash'),
  height: t.int64('Height of the vertex.', nullable).at('height'),
  block_time: t.timestamp('Time of the vertex (UTC).', nullable).at('timestamp'),
}

export const restXTransactions = table({
  name: 'rest_x_transactions',
  comment: 'One row per X-Chain transaction that the service lists, with the UTXOs that it spends and creates.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    ...chainColumns,
    ...partlyUnproven({
      height: t.int64('Height of the block; null before Cortina.', nullable).at('blockHeight|blockNumber').lasting(),
      block_time: t.timestamp('Time of the transaction (UTC).').at('timestamp|blockTimestamp').lasting(),
      block_id: t.cb58('Id of the block; null before Cortina.', nullable).at('blockHash').lasting(),
      tx_id: t.cb58('Id of the transaction.').at('txHash'),
      tx_type: t
        .text('BaseTx, CreateAssetTx, OperationTx, ImportTx or ExportTx; unknown names are kept.')
        .at('txType', 'word')
        .lasting(),
    }),
    chain_format: t
      .text('linear, or non-linear (accepted in a vertex, before Cortina).', nullable)
      .at('chainFormat', 'word')
      .lasting()
      .unproven(),
    memo: memo.partlyUnproven(),
    ...lasting(
      unproven({
        source_chain_id: t
          .address('Id of the source chain, as the service returns it.', nullable)
          .at('sourceChain', 'chainId'),
        destination_chain_id: t
          .address('Id of the destination chain, as the service returns it.', nullable)
          .at('destinationChain', 'chainId'),
      }),
    ),
    ...transactionSums,
    asset_created: t
      .struct(createdAssetFields, 'The asset that a CreateAssetTx creates.', nullable)
      .at('assetCreated')
      .unproven(),
    vertices: t
      .list(t.struct(vertexFields, 'Vertex.'), 'Vertices that contain the transaction, before Cortina.', nullable)
      .at('vertices')
      .unproven(),
    consumed_utxos: utxoList('UTXOs that the transaction spends.').at('consumedUtxos').unproven(),
    emitted_utxos: utxoList('UTXOs that the transaction creates.').at('emittedUtxos').unproven(),
    ...chainNameColumn,
  },
})

const evmInputFields = {
  evm_address: t.address('EVM account that pays (0x address).').at('fromAddress'),
  ...below('asset', assetAmountFields),
  credentials: t
    .list(t.struct(credentialFields, 'Credential.'), 'Signatures of the input.', nullable)
    .at('credentials'),
}

const evmOutputFields = {
  evm_address: t.address('EVM account that receives (0x address).').at('toAddress'),
  ...below('asset', assetAmountFields),
}

export const restCAtomicTransactions = table({
  name: 'rest_c_atomic_transactions',
  comment:
    'One row per atomic transaction of the C-Chain that the service lists, with its UTXOs and the EVM accounts involved.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    ...chainColumns,
    ...partlyUnproven({
      block_number: t.int64('Number of the block.').at('blockHeight|blockNumber').lasting(),
      block_time: t.timestamp('Time of the block (UTC).').at('timestamp|blockTimestamp').lasting(),
      block_hash: t.hex('Hash of the block.').at('blockHash', 'id').lasting(),
      tx_id: t.cb58('Id of the transaction.').at('txHash'),
      tx_type: t.text('ImportTx or ExportTx; unknown names are kept.').at('txType', 'word').lasting(),
    }),
    memo: memo.unproven(),
    source_chain_id: t
      .address('Id of the source chain; for an ExportTx the C-Chain.', nullable)
      .at('sourceChain', 'chainId')
      .lasting()
      .partlyUnproven(),
    destination_chain_id: t
      .address('Id of the destination chain; for an ImportTx the C-Chain.', nullable)
      .at('destinationChain', 'chainId')
      .lasting()
      .partlyUnproven(),
    ...transactionSums,
    evm_inputs: t
      .list(t.struct(evmInputFields, 'Input.'), 'Debits of EVM accounts by an ExportTx.', nullable)
      .at('evmInputs')
      .unproven(),
    evm_outputs: t
      .list(t.struct(evmOutputFields, 'Output.'), 'Credits of EVM accounts by an ImportTx.', nullable)
      .at('evmOutputs')
      .unproven(),
    consumed_utxos: maybeUtxoList('UTXOs that an ImportTx spends.').at('consumedUtxos').unproven(),
    emitted_utxos: maybeUtxoList('UTXOs that an ExportTx creates.').at('emittedUtxos').unproven(),
    ...chainNameColumn,
  },
})

const { utxo_id, ...others } = utxoColumns

export const restUtxos = table({
  name: 'rest_utxos',
  comment: 'One row per version of a UTXO that the service lists for watched addresses. A changed UTXO gets a new row.',
  key: ['network', 'blockchain_id', 'utxo_id', 'observed_at'],
  sortBy: ['block_time', 'utxo_id'],
  history: 'versions',
  notCompared: ['chain_name'],
  lasting: ['tx_id', 'output_index', 'asset_id', 'amount', 'created_on_chain_id', 'block_time'],
  unproven: { partly: ['observation_id', 'observed_at'] },
  columns: {
    ...chainColumns,
    utxo_id,
    ...versionColumns,
    ...unproven(presentColumn),
    ...others,
    ...chainNameColumn,
  },
})

export const restRewards = table({
  name: 'rest_rewards',
  comment: 'One row per paid staking reward of the Primary Network and requested price currency.',
  key: ['network', 'utxo_id', 'currency'],
  sortBy: ['end_time', 'utxo_id'],
  partitionBy: [identity('network'), month('end_time')],
  streamValues: [{ column: 'currency', parameter: 'currency' }],
  columns: {
    ...networkColumn,
    utxo_id: t.cb58('Id of the UTXO that pays the reward.').at('utxoId').partlyUnproven(),
    currency: t.text('Currency that the job requested, such as usd.'),
    ...partlyUnproven({
      tx_id: t
        .cb58('Staking transaction; for the fee of a validator that of the delegator. Not unique.')
        .at('txHash')
        .lasting(),
      output_index: t.int64('Index of the UTXO.').at('outputIndex', 'u32').lasting(),
      node_id: t.address('Node id, NodeID-….').at('nodeId', 'nodeId').lasting(),
      addresses: t
        .list(t.address('Address.'), 'Addresses that received the reward, bech32 without chain prefix.')
        .at('addresses', 'owner'),
    }),
    reward_type: t
      .text('VALIDATOR, DELEGATOR or VALIDATOR_FEE; unknown names are kept.')
      .at('rewardType', 'word')
      .lasting()
      .unproven(),
    start_time: t.timestamp('Start of the staking (UTC): time of the block.').at('startTimestamp').lasting().unproven(),
    end_time: t.timestamp('End of the staking (UTC).').at('endTimestamp').partlyUnproven(),
    staked_amount: t.u64('Stake in nAVAX (amountStaked in the API).').at('amountStaked').partlyUnproven(),
    reward_tx_id: t.cb58('Transaction that paid the reward.').at('rewardTxHash').lasting().unproven(),
    ...partlyUnproven({
      asset_id: t.address('Asset of the reward.').at('reward.assetId', 'id').lasting(),
      amount: t.u64('Reward in the least unit of the asset (AVAX: nAVAX).').at('reward.amount').lasting(),
    }),
    ...unproven(below('reward', assetLookFields)),
    price_currency: t
      .text('Currency of the price, as the service returns it; null without a price.', nullable)
      .at('reward.historicalPrice.currencyCode', 'word')
      .unproven(),
    price: t
      .double(
        'Price of one whole unit of the asset (such as 1 AVAX) at that time in the requested currency; null without one.',
        nullable,
      )
      .at('reward.historicalPrice.value')
      .unproven(),
  },
})

export const restXVertices = table({
  name: 'rest_x_vertices',
  comment: 'One row per vertex of the X-Chain from before Cortina, when it became linear, with its true time.',
  key: ['network', 'blockchain_id', 'vertex_hash'],
  sortBy: ['height', 'vertex_hash'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    ...chainColumns,
    ...partlyUnproven({
      vertex_hash: t.cb58('Id of the vertex.').at('vertexHash'),
      height: t.int64('Height in the graph; several vertices can have the same height.').at('vertexHeight').lasting(),
    }),
    vertex_index: t.int64('Index of the vertex in the service.').at('vertexIndex').lasting().unproven(),
    block_time: t.timestamp('Time of the vertex (UTC).').at('vertexTimestamp').lasting().unproven(),
    ...partlyUnproven({
      parent_hashes: t.list(t.cb58('Id.'), 'Ids of the parent vertices.').at('parentHashes'),
      tx_count: t.int64('Number of transactions.').at('txCount').lasting(),
      tx_ids: t.list(t.cb58('Id.'), 'Ids of the transactions.').at('transactions'),
      byte_length: t.int64('Length in bytes.').at('vertexSizeBytes'),
    }),
    ...chainNameColumn,
  },
})

const proposerFields = {
  container_id: t.cb58('Id of the proposervm block; null where the service leaves it out.', nullable).at('proposerId'),
  wrapper_parent_id: t
    .cb58('Id of the parent proposervm block; null where the service leaves it out.', nullable)
    .at('proposerParentId'),
  proposer_node_id: t
    .address('Node that proposed the block; null where the service leaves it out.', nullable)
    .at('proposerNodeId', 'nodeId'),
  wrapper_p_height: t
    .int64('P-Chain height in the proposervm block; null where the service leaves it out.', nullable)
    .at('proposerPChainHeight'),
  wrapper_time: t
    .timestamp('Time in the proposervm block (UTC); null where the service leaves it out.', nullable)
    .at('proposerTimestamp'),
}

export const restNodeBlocks = table({
  name: 'rest_node_blocks',
  comment: 'One row per block of the Primary Network that a watched node proposed.',
  key: ['network', 'node_id', 'blockchain_id', 'height'],
  sortBy: ['node_id', 'height'],
  partitionBy: [identity('network'), month('block_time')],
  streamValues: [{ column: 'node_id', parameter: 'nodeId' }],
  columns: {
    ...networkColumn,
    node_id: t.address('Node id in the request.'),
    blockchain_id: t.address('Id of the chain.'),
    ...partlyUnproven({
      height: t.int64('Height of the block.').at('blockNumber'),
      block_time: t.timestamp('Time of the block (UTC).').at('blockTimestamp').lasting(),
      block_id: t.cb58('Id of the block, as the service returns it.').at('blockHash').lasting(),
      parent_id: t.cb58('Id of the parent block.').at('parentHash').lasting(),
    }),
    block_type: t.text('Kind of the block; unknown names are kept.').at('blockType', 'word').lasting().unproven(),
    tx_count: t.int64('Number of transactions.').at('txCount').lasting().partlyUnproven(),
    tx_ids: t.list(t.cb58('Id.'), 'Ids of the transactions.').at('transactions').unproven(),
    ...lasting(
      unproven({
        byte_length: t.int64('Length in bytes.').at('blockSizeBytes'),
        l1_validators_accrued_fees: t
          .u64(
            'Fees that L1 validators accrued since the start, in nAVAX; null for other chains than the P-Chain.',
            nullable,
          )
          .at('l1ValidatorsAccruedFees'),
        active_l1_validator_count: t
          .int64('Number of active L1 validators; null for other chains than the P-Chain.', nullable)
          .at('activeL1Validators'),
        current_supply: t
          .u64('Supply of AVAX in nAVAX; null where the service leaves it out.', nullable)
          .at('currentSupply'),
      }),
    ),
    ...lasting(partlyUnproven(below('proposerDetails', proposerFields))),
    ...chainNameColumn,
  },
})

export const restPendingRewards = table({
  name: 'rest_pending_rewards',
  comment:
    'Rewards of stakes of the Primary Network that have not ended, as the service estimates them. One row per reward and observation. When a job asks for other nodes or addresses than before, rows of stakes that have ended since stay among the latest ones: see end_time.',
  ...observedTable('tx_id', 'reward_type'),
  sortBy: ['end_time', 'tx_id'],
  columns: {
    ...networkColumn,
    ...unproven({
      tx_id: t.cb58('Staking transaction; for the fee of a validator that of the delegator. Not unique.').at('txHash'),
      reward_type: t.text('VALIDATOR, DELEGATOR or VALIDATOR_FEE; unknown names are kept.').at('rewardType', 'word'),
    }),
    ...observationColumns,
    ...unproven({
      node_id: t.address('Node id, NodeID-….').at('nodeId', 'nodeId'),
      addresses: t
        .list(t.address('Address.'), 'Addresses that will receive the reward, bech32 without chain prefix.')
        .at('addresses', 'owner'),
      start_time: t.timestamp('Start of the staking (UTC): time of the block.').at('startTimestamp'),
      end_time: t.timestamp('End of the staking (UTC).').at('endTimestamp'),
      staked_amount: t.u64('Stake in nAVAX (amountStaked in the API).').at('amountStaked'),
      progress: t.double('How much of the time has passed, as the service returns it.').at('progress'),
      asset_id: t.address('Asset of the reward.').at('estimatedReward.assetId', 'id'),
      estimated_reward: t
        .u64('Expected reward in the least unit of the asset (AVAX: nAVAX).')
        .at('estimatedReward.amount'),
      ...below('estimatedReward', assetLookFields),
    }),
  },
})
