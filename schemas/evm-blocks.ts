import { nullable, type RowOf, t } from '../src/define/index.ts'
import {
  evmBlockColumns,
  evmTable,
  evmTransactionColumns,
  headerColumns,
  logIndexColumn,
  signedColumns,
  unsignedColumns,
  wideColumns,
} from './shared/evm-columns.ts'
import { tokenAmountColumns } from './shared/service-columns.ts'
import { partlyUnproven, table } from './shared/table.ts'

export const evmBlocks = table({
  name: 'evm_blocks',
  comment:
    'One row per block of an EVM chain, as its RPC returns it, with every field of geth, coreth and subnet-evm; null where the chain does not state the field. On the C-Chain since Helicon, state root, receipts root and logs bloom belong to the blocks that this block settles.',
  ...evmTable(),
  unproven: { partly: headerColumns },
  columns: {
    ...evmBlockColumns,
    block_hash: t.hex('Hash of the block.').at('hash', 'hash').lasting(),
    parent_hash: t.hex('Hash of the parent block.').at('parentHash', 'hash').lasting(),
    sha3_uncles: t.address('Hash of the list of uncles.', nullable).at('sha3Uncles', 'hash'),
    miner: t
      .address(
        'Coinbase: the address that receives the fees, or the fixed address to which they are burned; null where the chain states none.',
        nullable,
      )
      .at('miner'),
    state_root: t.hex('Root of the state.', nullable).at('stateRoot', 'hash'),
    transactions_root: t.hex('Root of the transactions.', nullable).at('transactionsRoot', 'hash'),
    receipts_root: t.hex('Root of the receipts.', nullable).at('receiptsRoot', 'hash'),
    logs_bloom: t
      .blob('Bloom filter of the logs; null where the chain returns none.', nullable)
      .at('logsBloom', 'filled'),
    ...wideColumns('difficulty', 'Difficulty.', 'difficulty'),
    size: t.u64('Size of the block in bytes, as the node returns it.', nullable).at('size').unproven(),
    gas_limit: t.u64('Gas limit.', nullable).at('gasLimit'),
    gas_used: t.int64('Gas used; on the C-Chain since Helicon an upper bound.').at('gasUsed', 'int64'),
    timestamp_seconds: t
      .u64(
        'Unix time as in the header (timestamp): in seconds, on a few chains in milliseconds, microseconds or nanoseconds.',
      )
      .at('timestamp'),
    extra_data: t.blob('Extra data.', nullable).at('extraData'),
    mix_hash: t.hex('Mix digest, or the random value of the beacon chain.', nullable).at('mixHash', 'hash'),
    nonce: t.u64('Nonce of the header.', nullable).at('nonce'),
    uncles: t.list(t.hex('Hash.'), 'Hashes of the uncles.', nullable).at('uncles', 'hash').partlyUnproven(),
    ...wideColumns(
      'base_fee_per_gas',
      'Base fee in wei per gas (since London, since Apricot Phase 3, subnet-evm).',
      'baseFeePerGas',
    ),
    withdrawals_root: t.hex('Root of the withdrawals (Shanghai).', nullable).at('withdrawalsRoot', 'hash'),
    withdrawals: t
      .list(
        t.struct(
          {
            withdrawal_index: t.u64('Position of the withdrawal among all of the chain (index).').at('index'),
            validator_index: t.u64('Index of the validator.').at('validatorIndex'),
            address: t.address('Receiver.').at('address'),
            amount: t.u64('Amount in gwei.').at('amount'),
          },
          'Withdrawal.',
        ),
        'Withdrawals of validators (Shanghai).',
        nullable,
      )
      .at('withdrawals')
      .partlyUnproven(),
    blob_gas_used: t.u64('Blob gas used (Cancun, Etna).', nullable).at('blobGasUsed'),
    excess_blob_gas: t.u64('Excess blob gas (Cancun, Etna).', nullable).at('excessBlobGas'),
    parent_beacon_block_root: t
      .hex('Root of the parent beacon block (Cancun, Etna).', nullable)
      .at('parentBeaconBlockRoot', 'hash'),
    requests_hash: t.hex('Hash of the execution layer requests (Prague).', nullable).at('requestsHash', 'hash'),
    ext_data_hash: t
      .hex('Hash of the extra data with the atomic transactions (coreth).', nullable)
      .at('extDataHash', 'hash'),
    block_extra_data: t.blob('Extra data with the atomic transactions (coreth).', nullable).at('blockExtraData'),
    ...wideColumns(
      'ext_data_gas_used',
      'Gas used by atomic transactions (coreth since Apricot Phase 4).',
      'extDataGasUsed',
    ),
    ...wideColumns(
      'block_gas_cost',
      'Cost of the block in gas (coreth since Apricot Phase 4, subnet-evm).',
      'blockGasCost',
    ),
    timestamp_milliseconds: t.u64('Unix time in milliseconds (since Granite).', nullable).at('timestampMilliseconds'),
    min_delay_excess: t
      .u64('State of the minimum delay between blocks (since Granite).', nullable)
      .at('minDelayExcess'),
    target_exponent: t.u64('State of the gas target (since Helicon).', nullable).at('targetExponent'),
    min_price_exponent: t.u64('State of the minimum gas price (since Helicon).', nullable).at('minPriceExponent'),
    settled_height: t
      .int64('Number of the last block that this block settles (since Helicon).', nullable)
      .at('settledHeight', 'int64'),
    settled_gas_unix: t
      .u64('Gas clock of the settled block, Unix time in seconds (since Helicon).', nullable)
      .at('settledGasUnix'),
    settled_gas_numerator: t
      .u64('Gas clock of the settled block, numerator of the fraction of a second (since Helicon).', nullable)
      .at('settledGasNumerator'),
    settled_excess: t.u64('Gas excess of the settled block (since Helicon).', nullable).at('settledExcess'),
    transaction_count: t.int64('Number of transactions in the block.').lasting(),
    log_count: t.int64('Number of logs of the transactions in the block.').lasting(),
    l1_block_number: t
      .int64('Number of the last block of L1 that the block saw (Arbitrum).', nullable)
      .at('l1BlockNumber', 'int64'),
    block_access_list_hash: t
      .hex('Hash of the access list of the block (EIP-7928).', nullable)
      .at('blockAccessListHash', 'hash'),
    slot_number: t.u64('Number of the slot of the beacon chain (EIP-7843).', nullable).at('slotNumber'),
  },
})

export const evmTransactions = table({
  name: 'evm_transactions',
  comment: 'One row per transaction of an EVM chain, with the fields of its receipt, as the RPC returns them.',
  ...evmTable('transaction_index'),
  lasting: ['transaction_hash', 'from_address', 'to_address', 'value_raw'],
  unproven: { partly: signedColumns },
  columns: {
    ...evmTransactionColumns,
    ...unsignedColumns,
    y_parity: t
      .int64('Parity of the signature; null for legacy transactions.', nullable)
      .at('transaction.yParity', 'int64'),
    v: t
      .decimal38(
        'Parity or v of the signature; null where there is none, and when it has more than 38 digits.',
        nullable,
      )
      .at('transaction.v', 'digits'),
    r: t
      .hex('r of the signature, 0x without leading zeros; null where there is none.', nullable)
      .at('transaction.r', 'quantity'),
    s: t
      .hex('s of the signature, 0x without leading zeros; null where there is none.', nullable)
      .at('transaction.s', 'quantity'),
    ...partlyUnproven({
      status: t
        .int64('1: success, 0: failure; null before Byzantium, when receipts had no status.', nullable)
        .at('receipt.status', 'int64')
        .lasting(),
      receipt_root: t.hex(
        'Root of the state after the transaction (root of the receipt, before Byzantium); null where a chain writes a status there.',
        nullable,
      ),
      gas_used: t
        .int64('Gas used; null where the chain has no receipt of the transaction.', nullable)
        .at('receipt.gasUsed', 'int64')
        .lasting(),
      cumulative_gas_used: t
        .int64(
          'Gas used by this transaction and those before it in the block, as the chain counts it; null without a receipt.',
          nullable,
        )
        .at('receipt.cumulativeGasUsed', 'int64'),
      ...wideColumns(
        'effective_gas_price',
        'Price paid, in wei per gas; null where the RPC returns none.',
        'receipt.effectiveGasPrice',
      ),
    }),
    blob_gas_used: t.u64('Blob gas used (type 3).', nullable).at('receipt.blobGasUsed'),
    ...wideColumns('blob_gas_price', 'Price paid, in wei per blob gas (type 3).', 'receipt.blobGasPrice'),
    contract_address: t
      .address(
        'Contract that the transaction created; null for others, also where a chain repeats the called contract or writes zeros.',
        nullable,
      )
      .at('receipt.contractAddress'),
    logs_bloom: t
      .blob('Bloom filter of the logs in the receipt; null where the node returns none.', nullable)
      .at('receipt.logsBloom', 'filled'),
    log_count: t.int64('Number of logs of the transaction; null without a receipt.', nullable).lasting(),
    ...wideColumns(
      'l1_fee',
      'Fee in wei for the data on L1, which is not part of the gas (OP stack, Scroll).',
      'receipt.l1Fee',
    ),
    l1_gas_used: t.u64('Gas that the data would use on L1 (OP stack).', nullable).at('receipt.l1GasUsed'),
    ...wideColumns('l1_gas_price', 'Price of the data in wei per gas of L1 (OP stack).', 'receipt.l1GasPrice'),
    l1_fee_scalar: t
      .text('Factor of the fee for L1, as the chain writes it (OP stack before Ecotone).', nullable)
      .at('receipt.l1FeeScalar', 'scalar'),
    ...wideColumns('mint', 'Amount in wei that a deposit creates on the chain (OP stack).', 'transaction.mint'),
    source_hash: t.hex('Origin of a deposit (OP stack).', nullable).at('transaction.sourceHash', 'hash'),
    is_system_tx: t
      .boolean('Whether a deposit is one of the chain itself (OP stack).', nullable)
      .at('transaction.isSystemTx'),
    gas_used_for_l1: t
      .u64('The part of the gas that pays for the data on L1 (Arbitrum).', nullable)
      .at('receipt.gasUsedForL1'),
    l1_block_number: t
      .int64('Number of the block of L1 that the receipt states (Arbitrum).', nullable)
      .at('receipt.l1BlockNumber', 'int64'),
  },
})

export const evmLogs = table({
  name: 'evm_logs',
  comment:
    'One row per log of a transaction of an EVM chain. Logs that a block has outside of its transactions, such as those of Celo before its L2, are left out; a run names them.',
  ...evmTable('transaction_index', 'log_index'),
  lasting: ['transaction_hash'],
  numbered: 'log_index',
  columns: {
    ...evmTransactionColumns,
    transaction_index: evmTransactionColumns.transaction_index.partlyUnproven(),
    ...partlyUnproven({
      log_index: logIndexColumn,
      address: t.address('Contract that emitted the log.').at('address').lasting(),
      topic0: t
        .address('First topic: for most events the hash of their signature.', nullable)
        .at('topics', 'hash')
        .lasting(),
      topic1: t.address('Second topic.', nullable).at('topics', 'hash').lasting(),
      topic2: t.address('Third topic.', nullable).at('topics', 'hash').lasting(),
      topic3: t.address('Fourth topic.', nullable).at('topics', 'hash').lasting(),
      data: t.blob('Data of the log.').at('data', 'data').lasting(),
    }),
  },
})

export type EvmLog = RowOf<typeof evmLogs>

export const evmTokenTransfers = table({
  name: 'evm_token_transfers',
  comment:
    'One row per token transfer in the logs of an EVM chain: Transfer (ERC-20 and ERC-721), TransferSingle and each entry of TransferBatch (ERC-1155), and of the native token where a chain logs its transfers (EIP-7708). Only events with exactly the topics and data of their standard count.',
  ...evmTable('transaction_index', 'log_index', 'position'),
  lasting: [...(['transaction_hash'] as const), ...(['operator_address', 'token_id', 'amount_raw'] as const)],
  numbered: 'log_index',
  columns: {
    ...evmTransactionColumns,
    log_index: logIndexColumn,
    position: t.int64('Position of the entry in its TransferBatch, from 0; 0 for all other events.'),
    standard: t
      .text('Standard of the token: erc20, erc721 or erc1155; native for a transfer of the native token (EIP-7708).')
      .lasting(),
    token_address: t
      .address('Contract of the token; the system address that logs transfers of the native token.')
      .lasting(),
    from_address: t.address('Sender; the zero address for minted tokens.').lasting(),
    to_address: t.address('Receiver; the zero address for burned tokens.').lasting(),
    operator_address: t.address('Operator that moved the tokens (ERC-1155); null for others.', nullable),
    token_id: t.text(
      'Id of the token in its contract, in decimal digits; null for ERC-20 and the native token.',
      nullable,
    ),
    ...tokenAmountColumns,
  },
})
