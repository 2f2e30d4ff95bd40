import { below, type Column, type DeclaredColumn, nullable, t } from '../src/define/index.ts'
import {
  chainColumns,
  encodingColumn,
  networkColumn,
  nftColumns,
  outputOwnerColumns,
  ownerColumns,
  stakeableLocktimeColumn,
  stakingTimeColumns,
  utxoPlaceColumns,
  xUtxoColumns,
} from './shared/block-columns.ts'
import { unsignedColumns, wideColumns } from './shared/evm-columns.ts'
import { observationColumns, observedTable } from './shared/service-columns.ts'
import { lasting, partlyUnproven, table, unproven } from './shared/table.ts'

/** First columns of tables of subnets. */
const nodeSubnetColumns = {
  ...networkColumn,
  subnet_id: t.address('Id of the subnet.'),
}

const blsPublicKeyColumn = {
  bls_public_key: t.hex('BLS public key, 48 bytes; null where the node returns none.', nullable).at('publicKey'),
}

/** Identity of a health report of a node. */
const healthReportColumns = {
  endpoint: t.text('Requested report: health, readiness, liveness, or root (GET /ext/health, the same as health).'),
  transport: t.text('How it was requested: get (/ext/health/<endpoint>) or rpc (method health.<endpoint>).'),
  tags: t.list(
    t.text('Tag.'),
    'The report has only checks with one of these tags, and global ones; empty: all checks.',
  ),
}

export const nodeValidators = table({
  name: 'node_validators',
  comment:
    'Current validators of the Primary Network and of subnets that are not L1s (platform.getCurrentValidators). One row per validator and observation.',
  ...observedTable('subnet_id', 'node_id'),
  coverage: { filters: { 'node-ids': 'node_id' } },
  columns: {
    ...nodeSubnetColumns,
    node_id: t.address('Node id, NodeID-….').at('nodeID', 'nodeId').partlyUnproven(),
    ...observationColumns,
    tx_id: t.cb58('Transaction that added the validator.').at('txID').partlyUnproven(),
    start_time: stakingTimeColumns.start_time.unproven(),
    end_time: stakingTimeColumns.end_time.partlyUnproven(),
    weight: t
      .u64('Weight. On the Primary Network this is the own stake in nAVAX, without delegations.')
      .at('weight|stakeAmount')
      .partlyUnproven(),
    potential_reward: t
      .u64(
        'Reward if the validator meets the uptime requirement until the end, on the Primary Network in nAVAX; null where there are no rewards.',
        nullable,
      )
      .at('potentialReward')
      .unproven(),
    accrued_delegatee_reward: t
      .u64('Share of the validator in rewards of ended delegations, on the Primary Network in nAVAX.', nullable)
      .at('accruedDelegateeReward')
      .unproven(),
    delegation_shares: t
      .int64(
        'Share of delegation rewards that the validator keeps, in parts per million (delegationFee, which the node returns in percent).',
        nullable,
      )
      .at('delegationFee', 'shares')
      .partlyUnproven(),
    uptime: t
      .double('Uptime that the answering node observed, in percent; null where it returns none.', nullable)
      .at('uptime', 'percent')
      .unproven(),
    connected: t
      .boolean('Whether the answering node is connected to the validator; null where it returns nothing.', nullable)
      .at('connected')
      .unproven(),
    ...partlyUnproven(below('signer', blsPublicKeyColumn)),
    ...unproven({
      bls_proof_of_possession: t
        .hex('Proof of possession of the BLS key, 96 bytes.', nullable)
        .at('signer.proofOfPossession|signer.proofOfPosession'),
      delegator_count: t.int64('Number of current delegations.', nullable).at('delegatorCount'),
      delegator_weight: t
        .u64('Total weight of current delegations, on the Primary Network in nAVAX.', nullable)
        .at('delegatorWeight'),
      next_period: t
        .u64(
          'Length in seconds of the next staking period of an auto-renewed validator; 0: the validator stops.',
          nullable,
        )
        .at('nextPeriod'),
      auto_compound_reward_shares: t
        .int64('Share of rewards that an auto-renewed validator stakes again, in parts per million.', nullable)
        .at('autoCompoundRewardShares'),
      ...ownerColumns('validation_reward_owner', 'the owner of the validation rewards', 'validationRewardOwner?'),
      ...ownerColumns('delegation_reward_owner', 'the owner of the delegation rewards', 'delegationRewardOwner?'),
      ...ownerColumns(
        'validator_authority',
        'the owner that can configure an auto-renewed validator',
        'validatorAuthority?',
      ),
    }),
  },
})

export const nodeDelegators = table({
  name: 'node_delegators',
  comment:
    'Current delegations to validators (platform.getCurrentValidators by node id). One row per delegation and observation.',
  ...observedTable('tx_id'),
  sortBy: ['subnet_id', 'node_id', 'tx_id'],
  coverage: { filters: { 'node-ids': 'node_id' }, needs: 'delegators' },
  columns: {
    ...nodeSubnetColumns,
    subnet_id: nodeSubnetColumns.subnet_id.lasting(),
    tx_id: t.cb58('Transaction that created the delegation.').at('txID').partlyUnproven(),
    ...observationColumns,
    ...lasting({
      node_id: t.address('Node id of the validator, NodeID-….').at('nodeID', 'nodeId').partlyUnproven(),
      start_time: stakingTimeColumns.start_time.unproven(),
      end_time: stakingTimeColumns.end_time.partlyUnproven(),
      weight: t.u64('Weight: the stake, on the Primary Network in nAVAX.').at('weight|stakeAmount').partlyUnproven(),
      potential_reward: t
        .u64(
          'Reward of delegator and validator together if the validator meets the uptime requirement, on the Primary Network in nAVAX.',
          nullable,
        )
        .at('potentialReward')
        .unproven(),
    }),
    ...lasting(unproven(ownerColumns('reward_owner', 'the owner of the reward', 'rewardOwner?'))),
  },
})

export const nodeL1Validators = table({
  name: 'node_l1_validators',
  comment:
    'Current validators of an L1 (platform.getCurrentValidators of its subnet). One row per validator and observation.',
  ...observedTable('validation_id'),
  sortBy: ['subnet_id', 'validation_id'],
  coverage: { filters: { 'node-ids': 'node_id' } },
  columns: {
    ...nodeSubnetColumns,
    subnet_id: nodeSubnetColumns.subnet_id.lasting(),
    validation_id: t.cb58('Validation id of the L1 validator.').at('validationID').partlyUnproven(),
    ...observationColumns,
    ...lasting({
      node_id: t.address('Node id, NodeID-…, of any length.').at('nodeID', 'nodeId').partlyUnproven(),
      start_time: t.timestamp('When the validator was registered (UTC).', nullable).at('startTime', 'time').unproven(),
    }),
    weight: t.u64('Weight of the validator, a number without a unit that the L1 chooses.').at('weight').unproven(),
    ...lasting(partlyUnproven(blsPublicKeyColumn)),
    min_nonce: t.u64('Lowest nonce that the next weight message may have.', nullable).at('minNonce').unproven(),
    balance: t.u64('Balance left for fees, in nAVAX; 0: the validator is inactive.', nullable).at('balance').unproven(),
    ...lasting(
      unproven({
        ...ownerColumns('remaining_balance_owner', 'the owner of the remaining balance', 'remainingBalanceOwner?'),
        ...ownerColumns('deactivation_owner', 'the owner that can disable the validator', 'deactivationOwner?'),
      }),
    ),
  },
})

export const nodeBlockchains = table({
  name: 'node_blockchains',
  comment:
    'Blockchains that a node knows, with their status (platform.getBlockchains, platform.getBlockchainStatus). One row per blockchain and observation.',
  ...observedTable('blockchain_id'),
  sortBy: ['subnet_id', 'blockchain_id'],
  columns: {
    ...chainColumns,
    blockchain_id: chainColumns.blockchain_id.at('id', 'id').partlyUnproven(),
    ...observationColumns,
    ...partlyUnproven({
      ...lasting({
        blockchain_name: t
          .text('Name of the chain; null for a chain that the node does not list, such as the P-Chain.', nullable)
          .at('name'),
        subnet_id: t
          .address('Subnet that validates the chain; null when the name is null.', nullable)
          .at('subnetID', 'id'),
        vm_id: t.address('Virtual machine of the chain; null when the name is null.', nullable).at('vmID', 'word'),
      }),
    }),
    blockchain_status: t
      .text('Validating, Syncing, Created, Preferred or Unknown; null where the job did not request it.', nullable)
      .unproven(),
  },
})

export const nodeSupply = table({
  name: 'node_supply',
  comment:
    'Supply of the staking token of a subnet (platform.getCurrentSupply). One row per observation. Only the Primary Network and subnets with elastic staking have one.',
  ...observedTable('subnet_id'),
  columns: {
    ...nodeSubnetColumns,
    ...observationColumns,
    ...unproven({
      supply: t
        .u64(
          'Upper bound of the supply, in the least unit of the staking token (Primary Network: nAVAX). Burned tokens and fees are not subtracted.',
          nullable,
        )
        .at('supply'),
      height: t.int64('P-Chain height of this supply; null where the node does not return it.', nullable).at('height'),
      error: t.text('Error message of the node when it returned no supply; otherwise null.', nullable),
    }),
  },
})

export const nodeFees = table({
  name: 'node_fees',
  comment: 'Transaction fees of the X-Chain or another chain of the asset VM (xvm.getTxFee). One row per observation.',
  ...observedTable('blockchain_id'),
  columns: {
    ...chainColumns,
    ...observationColumns,
    tx_fee: t.u64('Fee of a transaction, in the least unit of the fee asset (X-Chain: nAVAX).').at('txFee').unproven(),
    create_asset_tx_fee: t
      .u64('Fee of a transaction that creates an asset, in the least unit of the fee asset (X-Chain: nAVAX).')
      .at('createAssetTxFee')
      .unproven(),
  },
})

export const nodeVmConfig = table({
  name: 'node_vm_config',
  comment: 'Configuration of the EVM of a node (admin_getVMConfig). One row per observation.',
  ...observedTable('blockchain_id'),
  columns: {
    ...chainColumns,
    ...observationColumns,
    config: t.text('All settings as JSON. The columns below repeat those that limit requests.').partlyUnproven(),
    eth_apis: t.list(t.text('Name.'), 'Enabled APIs (eth-apis).', nullable).at('eth-apis'),
    pruning_enabled: t.boolean('Whether the node deletes old state (pruning-enabled).', nullable).at('pruning-enabled'),
    historical_proof_query_window: t
      .int64(
        'Number of blocks below the last accepted one for which the node returns proofs (historical-proof-query-window); 0: all.',
        nullable,
      )
      .at('historical-proof-query-window'),
    api_max_blocks_per_request: t
      .int64('Maximum number of blocks per eth_getLogs request (api-max-blocks-per-request); 0: unlimited.', nullable)
      .at('api-max-blocks-per-request'),
    batch_request_limit: t
      .int64('Maximum number of calls per batch (batch-request-limit); 0: unlimited.', nullable)
      .at('batch-request-limit'),
    rpc_gas_cap: t.u64('Maximum gas per call (rpc-gas-cap); 0: unlimited.', nullable).at('rpc-gas-cap'),
  },
})

export const nodeHealthReports = table({
  name: 'node_health_reports',
  comment: 'Whether a node reports itself healthy (/ext/health). One row per report and observation.',
  ...observedTable('endpoint', 'transport', 'tags'),
  sortBy: ['endpoint', 'transport'],
  columns: {
    ...networkColumn,
    ...partlyUnproven(healthReportColumns),
    ...observationColumns,
    status: t
      .int64('HTTP status of the answer: 200, or 503 to a GET when the node reports itself unhealthy.')
      .unproven(),
    healthy: t.boolean('Whether all checks passed.').unproven(),
    check_count: t.int64('Number of checks in the report: its rows in node_health.'),
  },
})

export const nodeHealth = table({
  name: 'node_health',
  comment: 'One row per check in a health report of a node.',
  ...observedTable('endpoint', 'transport', 'tags', 'check_name'),
  sortBy: ['endpoint', 'transport', 'check_name'],
  columns: {
    ...networkColumn,
    ...healthReportColumns,
    check_name: t.text('Name of the check, such as network, database, or the alias or id of a chain.').unproven(),
    ...observationColumns,
    message: t.text('Message of the check as JSON; null where there is none.', nullable).unproven(),
    error: t.text('Why the check failed; null when it passed.', nullable).unproven(),
    checked_at: t
      .timestamp('When the node last ran the check (UTC, microseconds); null when it never ran.', nullable)
      .partlyUnproven(),
    checked_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable).partlyUnproven(),
    duration_ns: t.int64('Duration of the check in nanoseconds.', nullable).unproven(),
    contiguous_failures: t.int64('Number of failures in a row; null when the check passed.', nullable).unproven(),
    first_failure_at: t
      .timestamp('When the first of these failures occurred (UTC, microseconds).', nullable)
      .partlyUnproven(),
    first_failure_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable).partlyUnproven(),
  },
})

export const nodeEvmState = table({
  name: 'node_evm_state',
  comment:
    'Current state of an EVM chain, as a node reports it: fees of the next block, ids, version, upgrades. One row per observation.',
  ...observedTable('chain_id'),
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits (eth_chainId).'),
    ...observationColumns,
    ...unproven({
      ...wideColumns('base_fee', 'Base fee of the next block, in wei per gas (eth_baseFee).', 'eth_baseFee'),
      ...wideColumns(
        'max_priority_fee_per_gas',
        'Suggested priority fee for the next block, in wei per gas (eth_maxPriorityFeePerGas).',
        'eth_maxPriorityFeePerGas',
      ),
      net_version: t.text('EVM network id (net_version).', nullable).at('net_version'),
      client_version: t.text('Version of the client (web3_clientVersion).', nullable).at('web3_clientVersion'),
      chain_config: t
        .text('Network upgrades with their blocks and times, as JSON (eth_getChainConfig).', nullable)
        .at('eth_getChainConfig'),
    }),
  },
})

export const nodeAssets = table({
  name: 'node_assets',
  comment:
    'Name, symbol and denomination of an asset, as a node reports them (xvm.getAssetDescription). They never change.',
  key: ['network', 'asset_id'],
  sortBy: ['asset_id'],
  columns: {
    ...networkColumn,
    ...partlyUnproven({
      asset_id: t.cb58('Asset: the transaction that created it.').at('assetID|assetId'),
      blockchain_id: t.address('Chain of the asset VM that the request went to.'),
      name: t.text('Name.').at('name'),
      symbol: t.text('Symbol.').at('symbol'),
      denomination: t.int64('Decimal places.').at('denomination', 'u8'),
    }),
  },
})

export const nodeTransactions = table({
  name: 'node_transactions',
  comment:
    'One row per transaction that was requested from a node by its id (xvm.getTx and getTxStatus, cx.getAtomicTx and getAtomicTxStatus). Undecided transactions are left out.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['blockchain_id', 'tx_id'],
  rowGroup: 'raw',
  columns: {
    ...chainColumns,
    tx_id: t.cb58('Id of the transaction.'),
    ...partlyUnproven({
      tx_status: t.text('Accepted or Rejected; null where the node does not return it.', nullable),
      height: t.int64('Height of the block, for atomic transactions of the C-Chain; otherwise null.', nullable),
      tx_type: t.text('Kind of the transaction, from its bytes; null where JSON was requested.', nullable),
    }),
    ...encodingColumn,
    tx_bytes: t.blob(
      'Bytes with codec version and signatures; their sha256 is the id; null where JSON was requested.',
      nullable,
    ),
    tx_json: t
      .text('The transaction as JSON, as the node returns it; null where bytes were requested.', nullable)
      .partlyUnproven(),
  },
})

export const nodeBlocks = table({
  name: 'node_blocks',
  comment:
    'One row per block of the P- or X-Chain that was requested from a node by its id (platform.getBlock, xvm.getBlock).',
  key: ['network', 'blockchain_id', 'block_id'],
  sortBy: ['blockchain_id', 'height'],
  rowGroup: 'raw',
  columns: {
    ...chainColumns,
    blockchain_id: chainColumns.blockchain_id.partlyUnproven(),
    block_id: t.cb58('Id of the block.'),
    height: t.int64('Height of the block.').partlyUnproven(),
    parent_id: t.cb58('Id of the parent block.'),
    block_time: t
      .timestamp('Time of the block (UTC); null for P-Chain blocks before Banff.', nullable)
      .partlyUnproven(),
    block_type: t.text('Kind of the block, from its bytes; null for JSON, which does not contain it.', nullable),
    tx_count: t.int64('Number of transactions in the block.'),
    ...encodingColumn,
    block_bytes: t.blob('Bytes of the block; their sha256 is its id; null where JSON was requested.', nullable),
    block_json: t
      .text('The block as JSON, as the node returns it; null where bytes were requested.', nullable)
      .partlyUnproven(),
  },
})

export const nodeEvmProofs = table({
  name: 'node_evm_proofs',
  comment:
    'Balance, nonce, code hash and storage slots of an EVM account at a block, with Merkle proofs (eth_getProof). One row per account and block, with the slots of the first request.',
  key: ['network', 'chain_id', 'address', 'block_number'],
  sortBy: ['chain_id', 'block_number', 'address'],
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits.'),
    ...partlyUnproven({
      address: t.address('Address of the account.'),
      block_number: t.int64('Number of the block.'),
      block_hash: t.hex('Hash of the block.'),
      block_time: t.timestamp('Time of the block (UTC).', nullable),
      balance: t.decimal38('Balance in wei; null when it has more than 38 digits.', nullable),
      balance_raw: t.text('Balance in wei as text with all digits.'),
      nonce: t.u64('Nonce of the account.'),
      code_hash: t.hex('Hash of the code of the account.'),
      storage_hash: t.hex('Root of the storage trie of the account.'),
      account_proof: t.list(t.blob('Node, RLP.'), 'Nodes of the state trie from the root to the account.'),
      storage_proofs: t.list(
        t.struct(
          {
            slot: t.hex('Slot, without leading zeros.'),
            slot_value: t.hex('Value of the slot as a hex quantity; 0x0 when empty.'),
            proof: t.list(t.blob('Node, RLP.'), 'Nodes of the storage trie from the root to the slot.'),
          },
          'A slot.',
        ),
        'Storage slots that were requested.',
      ),
    }),
  },
})

const { utxo_id, ...place } = utxoPlaceColumns

export const nodeUtxos = table({
  name: 'node_utxos',
  comment:
    'UTXOs that a node lists for addresses (platform.getUTXOs, xvm.getUTXOs, cx.getUTXOs). One row per UTXO and complete observation.',
  ...observedTable('blockchain_id', 'utxo_id'),
  columns: {
    ...chainColumns,
    blockchain_id: chainColumns.blockchain_id.partlyUnproven(),
    utxo_id,
    ...observationColumns,
    source_chain_id: t
      .address('Chain that exported the UTXO; null for UTXOs created on the chain itself.', nullable)
      .lasting(),
    ...lasting(place),
    // Containers hold these, too, if the lake has the one that created the UTXO.
    ...lasting(partlyUnproven({ ...xUtxoColumns, ...outputOwnerColumns, ...stakeableLocktimeColumn, ...nftColumns })),
  },
})

export const nodeRewardUtxos = table({
  name: 'node_reward_utxos',
  comment:
    'One row per transaction with a request for its reward UTXOs (platform.getRewardUTXOs), also when it has none. The UTXOs themselves are in p_state_outputs.',
  key: ['network', 'tx_id'],
  sortBy: ['tx_id'],
  columns: {
    ...networkColumn,
    ...partlyUnproven({
      tx_id: t.cb58(
        'The staking transaction; for an auto-renewed validator the RewardAutoRenewedValidatorTx of a period.',
      ),
      staked_tx_id: t.cb58('Staking transaction.'),
      utxo_ids: t.list(t.cb58('Id.'), 'UTXOs that pay the rewards; empty where no reward was paid.'),
    }),
    observed_at: t.timestamp('When the request was sent (UTC). The answer is final.').unproven(),
  },
})

export const nodeBalances = table({
  name: 'node_balances',
  comment:
    'Balance of an address in an asset, as the node computes it (platform.getBalance, xvm.getBalance, xvm.getAllBalances). One row per observation.',
  ...observedTable('blockchain_id', 'address', 'asset_id'),
  coverage: { filters: { assets: 'asset_id' } },
  columns: {
    ...chainColumns,
    address: t.address('Address, bech32 without chain prefix.'),
    asset_id: t.address('Id of the asset; aliases such as AVAX are resolved.').unproven(),
    ...observationColumns,
    ...unproven({
      asset: t.text('The asset as the node names it, or on the X-Chain the request: an id or an alias.'),
      balance: t
        .u64(
          'Balance in the least unit of the asset (AVAX: nAVAX). P-Chain: all UTXOs that the address owns, also together with others. X-Chain: unlocked UTXOs that it owns alone, at most 2^64 − 1.',
        )
        .at('balance|value'),
      unlocked: t.u64(
        'Part of the balance that could be spent at that time, in the least unit of the asset (AVAX: nAVAX); null on the X-Chain.',
        nullable,
      ),
      locked_stakeable: t.u64(
        'Part of the balance that could only be staked at that time, in the least unit of the asset (AVAX: nAVAX); null on the X-Chain.',
        nullable,
      ),
      locked_not_stakeable: t.u64(
        'Part of the balance that could be neither spent nor staked at that time, in the least unit of the asset (AVAX: nAVAX); null on the X-Chain.',
        nullable,
      ),
      utxo_ids: t
        .list(
          t.cb58('Id.'),
          'UTXOs that the node counted (P-Chain: of all assets); null where the node does not list them (getAllBalances).',
          nullable,
        )
        .at('/utxoIDs'),
    }),
  },
})

export const nodeTxpool = table({
  name: 'node_txpool',
  comment:
    'Transactions in the pool of a node, which are in no block yet (txpool_content). Pools of other nodes may have others. One row per transaction and observation.',
  ...observedTable('chain_id', 'pool', 'from_address', 'nonce'),
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits (eth_chainId).'),
    ...observationColumns,
    pool: t
      .text('pending: the next block may have it; queued: it waits for an earlier nonce of its sender.')
      .unproven(),
    transaction_hash: t.hex('Hash of the transaction.').unproven(),
    ...unproven({ ...unsignedColumns, nonce: t.u64('Nonce of the sender.') }),
  },
})

export const nodePFees = table({
  name: 'node_p_fees',
  comment:
    'Price of gas on the P-Chain, and what determines it (platform.getFeeState, platform.getFeeConfig). One row per observation.',
  ...observedTable('blockchain_id'),
  columns: {
    ...chainColumns,
    ...observationColumns,
    ...unproven({
      state_time: t.timestamp('Chain time of this state (UTC).').at('state.timestamp', 'iso'),
      price_per_gas: t.u64('Price of a unit of gas in nAVAX.').at('state.price'),
      gas_capacity: t.u64('Capacity of the next block in gas.').at('state.capacity'),
      gas_excess: t.u64('Gas above the target so far, which raises the price.').at('state.excess'),
      gas_weights: t
        .list(
          t.u64('Weight.'),
          'Gas of one unit of each resource of a transaction: byte, database read, database write, microsecond of computing.',
        )
        .at('config.weights', 'u64'),
      max_gas_capacity: t.u64('Largest capacity of a block in gas.').at('config.maxCapacity'),
      max_gas_per_second: t.u64('Gas by which the capacity grows per second.').at('config.maxPerSecond'),
      target_gas_per_second: t.u64('Gas per second at which the price stays as it is.').at('config.targetPerSecond'),
      min_price_per_gas: t.u64('Lowest price of a unit of gas in nAVAX.').at('config.minPrice'),
      excess_conversion_constant: t
        .u64('Excess gas that multiplies the price by e.')
        .at('config.excessConversionConstant'),
    }),
  },
})

/** A node writes the empty id where there is none. */
function orNone(column: DeclaredColumn<string | null>): Column<string | null> {
  return { ...column.unproven(), nullValues: ['11111111111111111111111111111111LpoYY'] }
}

export const nodeSubnets = table({
  name: 'node_subnets',
  comment:
    'Subnets that a node knows, without the Primary Network (platform.getSubnets, platform.getSubnet). One row per subnet and observation.',
  ...observedTable('subnet_id'),
  coverage: { filters: { subnets: 'subnet_id' } },
  columns: {
    ...nodeSubnetColumns,
    subnet_id: nodeSubnetColumns.subnet_id.partlyUnproven(),
    ...observationColumns,
    ...unproven({
      is_permissioned: t
        .boolean('Whether its owner alone adds validators; false for L1s and subnets with elastic staking.')
        .at('isPermissioned'),
      owner_threshold: t
        .int64('Number of addresses of the owner that must sign a change of the subnet.')
        .at('threshold', 'u32'),
      owner_locktime: t.u64('Unix seconds from which on they may sign.').at('locktime'),
      owner_addresses: t
        .list(t.address('Address.'), 'Addresses of the owner, bech32 without chain prefix.')
        .at('controlKeys', 'owner'),
    }),
    transformation_tx_id: orNone(
      t
        .cb58('Transaction that began elastic staking; null for other subnets.', nullable)
        .at('subnetTransformationTxID'),
    ),
    conversion_id: orNone(
      t.cb58('Id of the conversion that made it an L1; null for other subnets.', nullable).at('conversionID'),
    ),
    manager_chain_id: orNone(
      t
        .address(
          'Blockchain of the contract that manages its validators; null for other subnets, and for an L1 that names the empty id, which is the P-Chain: p_transactions has that one.',
          nullable,
        )
        .at('managerChainID', 'id'),
    ),
    manager_address: t
      .blob('Address of that contract; null for other subnets.', nullable)
      .at('managerAddress')
      .unproven(),
  },
})

export const nodeValidatorFees = table({
  name: 'node_validator_fees',
  comment:
    'Fee that each active validator of an L1 pays per second, and what determines it (platform.getValidatorFeeState, platform.getValidatorFeeConfig). One row per observation.',
  ...observedTable('blockchain_id'),
  columns: {
    ...chainColumns,
    ...observationColumns,
    ...unproven({
      state_time: t.timestamp('Chain time of this state (UTC).').at('state.timestamp', 'iso'),
      fee_per_second: t.u64('Fee of an active validator of an L1 in nAVAX per second.').at('state.price'),
      validator_excess: t.u64('Validator seconds above the target so far, which raise the fee.').at('state.excess'),
      max_active_validator_count: t.int64('Largest number of active validators of L1s.').at('config.capacity'),
      target_active_validator_count: t
        .int64('Number of active validators of L1s at which the fee stays as it is.')
        .at('config.target'),
      min_fee_per_second: t.u64('Lowest fee in nAVAX per second.').at('config.minPrice'),
      excess_conversion_constant: t
        .u64('Excess, in validator seconds here, that multiplies the price by e.')
        .at('config.excessConversionConstant'),
    }),
  },
})

export const nodeValidatorSets = table({
  name: 'node_validator_sets',
  comment:
    'One row per subnet and P-Chain height with a request for the validators there (platform.getValidatorsAt), also when there were none. The validators themselves are in node_validators_at.',
  key: ['network', 'subnet_id', 'height'],
  sortBy: ['subnet_id', 'height'],
  columns: {
    ...nodeSubnetColumns,
    height: t.int64('P-Chain height in the request.'),
    validator_count: t.int64('Number of validators.').lasting(),
    total_weight: t.decimal38('Sum of their weights, on the Primary Network in nAVAX.').lasting().unproven(),
    observed_at: t.timestamp('When the request was sent (UTC). The answer is final.').unproven(),
  },
})

export const nodeValidatorsAt = table({
  name: 'node_validators_at',
  comment:
    'Validators of a subnet at a P-Chain height, with all the stake that they vote with (platform.getValidatorsAt). One row per validator and height of node_validator_sets.',
  key: ['network', 'subnet_id', 'height', 'node_id'],
  sortBy: ['subnet_id', 'height', 'node_id'],
  unproven: { never: ['bls_public_key'] },
  columns: {
    ...nodeSubnetColumns,
    height: t.int64('P-Chain height in the request.'),
    node_id: t.address('Node id, NodeID-….').at('nodeID', 'nodeId').unproven(),
    weight: t
      .u64('Weight at this height. On the Primary Network this is the stake in nAVAX, with delegations.')
      .at('weight|value')
      .lasting()
      .unproven(),
    ...blsPublicKeyColumn,
  },
})
