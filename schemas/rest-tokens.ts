import { below, identity, month, nullable, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { exactColumns, wideColumns } from './shared/evm-columns.ts'
import {
  balanceValueColumns,
  collectibleColumns,
  evmChainColumns,
  heldTokenColumns,
  observationColumns,
  observedTable,
  optionalPriceColumns,
  partyColumns,
  servedBlockColumns,
  tokenAddressColumns,
  tokenAmountColumns,
  tokenBalance,
  tokenBalanceColumns,
  tokenLookColumns,
  tokenNameColumns,
  transferPartyColumns,
  transferPlaceColumns,
  walletCoverage,
} from './shared/service-columns.ts'
import { partlyUnproven, table, unproven } from './shared/table.ts'

export const restEvmChains = table({
  name: 'rest_evm_chains',
  comment: 'EVM chains that the REST service lists. One row per chain and observation.',
  ...observedTable('chain_id'),
  coverage: { filters: { feature: null } },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id.').at('chainId', 'word').unproven(),
    ...observationColumns,
    ...unproven({
      chain_name: t.text('Name of the chain.', nullable).at('chainName'),
      chain_status: t
        .text('Whether the service is available for the chain: OK or UNAVAILABLE.', nullable)
        .at('status', 'word'),
      description: t.text('Description.', nullable).at('description'),
      blockchain_id: t.address('Blockchain id of the chain (CB58).', nullable).at('platformChainId', 'id').lasting(),
      subnet_id: t.address('Id of the subnet that validates the chain.', nullable).at('subnetId', 'id').lasting(),
      vm_id: t.address('Id of the virtual machine of the chain.', nullable).at('vmId', 'word').lasting(),
      vm_name: t.text('Kind of the virtual machine: EVM, BITCOIN or ETHEREUM.', nullable).at('vmName', 'word'),
      explorer_url: t.text('URL of the block explorer of the chain.', nullable).at('explorerUrl'),
      rpc_url: t.text('URL of the JSON-RPC over HTTP.', nullable).at('rpcUrl'),
      ws_url: t.text('URL of the JSON-RPC over WebSocket.', nullable).at('wsUrl'),
      is_testnet: t.boolean('Whether the chain belongs to a test network.', nullable).at('isTestnet').lasting(),
      utility_addresses: t
        .struct(
          { multicall: t.address('Multicall contract.', nullable).at('multicall') },
          'Addresses of utility contracts.',
          nullable,
        )
        .at('utilityAddresses'),
      network_token: t
        .struct(
          {
            name: t.text('Name.', nullable).at('name'),
            symbol: t.text('Symbol.', nullable).at('symbol'),
            decimals: t.int64('Decimal places.', nullable).at('decimals'),
            logo_uri: t.text('URL of the token logo.', nullable).at('logoUri'),
            description: t.text('Description.', nullable).at('description'),
          },
          'Native token of the chain.',
          nullable,
        )
        .at('networkToken'),
      chain_logo_uri: t.text('URL of the chain logo.', nullable).at('chainLogoUri'),
      is_private: t.boolean('Whether the chain is private.', nullable).at('private'),
      enabled_features: t
        .list(
          t.text('Such as nftIndexing, webhooks, teleporter.'),
          'Features that the service offers for the chain.',
          nullable,
        )
        .at('enabledFeatures', 'word'),
    }),
  },
})

export const restEvmBlocks = table({
  name: 'rest_evm_blocks',
  comment: 'One row per block of an EVM chain, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number'],
  sortBy: ['chain_id', 'block_number'],
  partitionBy: [identity('network'), month('block_time')],
  unproven: {
    partly: ['fees_spent', 'fees_spent_raw', 'base_fee_per_gas', 'block_gas_cost'],
  },
  columns: {
    ...evmChainColumns,
    ...partlyUnproven({
      block_number: t.int64('Number of the block.').at('blockNumber'),
      ...servedBlockColumns,
      parent_hash: t.hex('Hash of the parent block.').at('parentHash', 'hash').lasting(),
      transaction_count: t.int64('Number of transactions in the block.').at('txCount').lasting(),
    }),
    cumulative_transaction_count: t
      .int64('Number of transactions of the chain up to this block.', nullable)
      .at('cumulativeTransactions')
      .unproven(),
    gas_used: t.int64('Gas used.', nullable).at('gasUsed', 'int64').lasting().partlyUnproven(),
    gas_limit: t.u64('Gas limit.', nullable).at('gasLimit').partlyUnproven(),
    ...wideColumns('base_fee_per_gas', 'Base fee in wei per gas.', 'baseFee'),
    ...wideColumns('block_gas_cost', 'Cost of the block in gas.', 'gasCost'),
    ...wideColumns('fees_spent', 'Fees paid by the transactions of the block, in wei.', 'feesSpent'),
    min_delay_excess: t
      .u64('State of the minimum delay between blocks (since Granite).', nullable)
      .at('blockMinDelayExcess')
      .partlyUnproven(),
  },
})

const tokenTransfer = {
  key: ['network', 'chain_id', 'block_number', 'log_index', 'transaction_hash', 'position'],
  sortBy: ['chain_id', 'block_number', 'log_index'],
  partitionBy: [identity('network'), month('block_time')],
  streamValues: [{ column: 'token_address', parameter: 'contract' }],
} as const

const positionWithoutIndex = t
  .int64(
    'Position among the transfers of the transaction that have no log index; null for transfers that have one.',
    nullable,
  )
  .partlyUnproven()

const transferTokenColumns = {
  token_address: tokenAddressColumns.token_address.lasting().partlyUnproven(),
  standard: tokenAddressColumns.standard.lasting().unproven(),
}

export const restErc20Transfers = table({
  name: 'rest_erc20_transfers',
  comment: 'One row per ERC-20 transfer of a watched wallet or contract, as the REST service lists it.',
  ...tokenTransfer,
  lasting: ['amount_raw'],
  unproven: { never: ['token_decimals'], partly: ['amount', 'amount_raw'] },
  columns: {
    ...transferPlaceColumns,
    position: positionWithoutIndex,
    ...transferPartyColumns,
    ...tokenAmountColumns,
    ...below('erc20Token', {
      ...transferTokenColumns,
      ...tokenNameColumns,
      ...tokenLookColumns,
      ...optionalPriceColumns,
    }),
  },
})

export const restErc721Transfers = table({
  name: 'rest_erc721_transfers',
  comment: 'One row per ERC-721 transfer of a watched contract, as the REST service lists it.',
  ...tokenTransfer,
  lasting: ['token_id'],
  unproven: { partly: ['token_id'] },
  columns: {
    ...transferPlaceColumns,
    position: positionWithoutIndex,
    ...transferPartyColumns,
    ...below('erc721Token', {
      ...transferTokenColumns,
      ...tokenNameColumns,
      ...collectibleColumns,
      token_owner_address: t
        .address('Owner of the token when the service answered; null where the service leaves it out.', nullable)
        .at('ownerAddress')
        .unproven(),
    }),
  },
})

export const restErc1155Transfers = table({
  name: 'rest_erc1155_transfers',
  comment: 'One row per token id of an ERC-1155 transfer of a watched contract, as the REST service lists it.',
  ...tokenTransfer,
  sortBy: ['chain_id', 'block_number', 'log_index', 'position'],
  lasting: ['token_id', 'amount_raw'],
  unproven: { partly: ['token_id', 'amount', 'amount_raw'] },
  columns: {
    ...transferPlaceColumns,
    position: t
      .int64(
        'Position among the transfers of the event, in the order of the list (a batch has several); without a log index, among those of the transaction.',
      )
      .partlyUnproven(),
    ...transferPartyColumns,
    ...tokenAmountColumns,
    ...below('erc1155Token', {
      ...transferTokenColumns,
      ...collectibleColumns,
    }),
  },
})

export const restNativeBalances = table({
  name: 'rest_native_balances',
  comment: 'Native token balance of a watched wallet. One row per wallet and observation.',
  ...observedTable('chain_id', 'address'),
  unproven: { never: ['token_decimals'] },
  columns: {
    ...evmChainColumns,
    address: t.address('Address of the wallet.'),
    ...observationColumns,
    ...tokenNameColumns,
    ...tokenLookColumns,
    ...tokenBalanceColumns,
    ...optionalPriceColumns,
    ...balanceValueColumns,
  },
})

export const restErc721Balances = table({
  name: 'rest_erc721_balances',
  comment: 'ERC-721 tokens that a watched wallet holds. One row per token and observation.',
  ...tokenBalance,
  unproven: { never: ['token_id'] },
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
  },
})

export const restErc1155Balances = table({
  name: 'rest_erc1155_balances',
  comment: 'ERC-1155 tokens that a watched wallet holds. One row per token and observation.',
  ...tokenBalance,
  unproven: { never: ['token_id'] },
  columns: {
    ...heldTokenColumns,
    ...collectibleColumns,
    ...tokenBalanceColumns,
  },
})

export const restCollectibleBalances = table({
  name: 'rest_collectible_balances',
  comment: 'ERC-721 and ERC-1155 tokens that a watched wallet holds. One row per token and observation.',
  ...tokenBalance,
  unproven: { never: ['token_id'] },
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
    balance: t
      .decimal38('Number of tokens held; null for ERC-721, and when it has more than 38 digits.', nullable)
      .at('balance', 'digits')
      .partlyUnproven(),
    balance_raw: t.text('Number of tokens held, as text with all digits; null for ERC-721.', nullable).partlyUnproven(),
  },
})

export const restErc20Balances = table({
  name: 'rest_erc20_balances',
  comment: 'ERC-20 tokens that a watched wallet holds. One row per token and observation.',
  ...observedTable('chain_id', 'owner', 'token_address'),
  coverage: { filters: { ...walletCoverage, 'filter-spam-tokens': null } },
  unproven: { never: ['token_decimals'] },
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...tokenLookColumns,
    ...tokenBalanceColumns,
    ...optionalPriceColumns,
    ...balanceValueColumns,
    token_reputation: t
      .text('What the service thinks of the token: Malicious or Benign.', nullable)
      .at('tokenReputation', 'word')
      .unproven(),
  },
})

export const restInternalTransactions = table({
  name: 'rest_internal_transactions',
  comment:
    'One row per call within a transaction from or to a watched wallet, as the REST service lists it (internal transactions).',
  key: ['network', 'chain_id', 'address', 'transaction_hash', 'position'],
  sortBy: ['chain_id', 'address', 'block_number', 'position'],
  partitionBy: [identity('network'), month('block_time')],
  lasting: ['amount_raw'],
  streamValues: [{ column: 'address', parameter: 'wallet' }],
  columns: {
    ...evmChainColumns,
    address: t.address('Wallet of the request: the sender or the receiver of the call.'),
    ...partlyUnproven({
      transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash'),
      position: t.int64(
        'Position among the internal transactions of the wallet in the transaction, from 0, in the order of the list.',
      ),
      block_number: t.int64('Number of the block.').at('blockNumber').lasting(),
    }),
    ...transferPartyColumns,
    ...partlyUnproven(exactColumns('amount', 'Native token moved, in wei', 'value')),
    ...unproven({
      call_type: t
        .text('Kind of the call: CALL, CREATE, CREATE2, DELEGATECALL, STATICCALL and others.')
        .at('internalTxType', 'word')
        .lasting(),
      is_reverted: t.boolean('Whether the call was reverted.').at('isReverted').lasting(),
      gas_used: t.int64('Gas used by the call.').at('gasUsed', 'int64').lasting(),
      gas_limit: t.u64('Gas that the call could use.').at('gasLimit').lasting(),
    }),
  },
})

export const restNativeTransactions = table({
  name: 'rest_native_transactions',
  comment: 'One row per transaction that a watched wallet sent or received, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number', 'transaction_hash'],
  sortBy: ['chain_id', 'block_number', 'transaction_index'],
  partitionBy: [identity('network'), month('block_time')],
  lasting: ['amount_raw'],
  columns: {
    ...evmChainColumns,
    ...partlyUnproven({
      block_number: t.int64('Number of the block.').at('blockNumber'),
      transaction_index: t.int64('Position of the transaction in the block.').at('blockIndex').lasting(),
      transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash'),
      ...servedBlockColumns,
    }),
    ...partyColumns('from', 'Sender.'),
    ...partyColumns('to', 'Receiver, as the service lists it.'),
    ...partlyUnproven({
      ...exactColumns('amount', 'Native token sent, in wei', 'value'),
      status: t.int64('1: success, 0: failure.').at('txStatus'),
      transaction_type: t.int64('0: legacy, 1: access list, 2: dynamic fee; chains may define others.').at('txType'),
      nonce: t.u64('Nonce of the sender.').at('nonce').lasting(),
      gas_limit: t.u64('Gas limit.').at('gasLimit'),
      gas_used: t.int64('Gas used.').at('gasUsed', 'int64'),
      ...wideColumns('gas_price', 'Gas price in wei per gas, as the service lists it.', 'gasPrice'),
    }),
    method_type: t
      .text('NATIVE_TRANSFER, CONTRACT_CALL or CONTRACT_CREATION.', nullable)
      .at('method.callType', 'word')
      .lasting()
      .unproven(),
    method_hash: t.hex('Selector of the called function.', nullable).at('method.methodHash').lasting().partlyUnproven(),
    ...unproven({
      method_name: t.text('Signature of that function, where the service knows it.', nullable).at('method.methodName'),
      min_delay_excess: t
        .u64('Excess of the minimum block delay (since Granite), where the service lists it.', nullable)
        .at('blockMinDelayExcess')
        .lasting(),
    }),
  },
})
