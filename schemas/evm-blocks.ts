import { type RowOf, t } from '../src/define/index.ts'
import { evmBlockColumns, evmTable } from './shared/evm-columns.ts'
import { headerColumns } from './shared/hashed-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmBlocks = table({
  name: 'evm_blocks',
  comment:
    'One row per block of an EVM chain, as its RPC returns it, with every field of geth, coreth and subnet-evm; null where the chain does not state the field. On the C-Chain since Helicon, state root, receipts root and logs bloom belong to the blocks that this block settles.',
  ...evmTable(),
  rowGroup: 'nested',
  unproven: {
    partly: [...headerColumns],
  },
  columns: {
    ...evmBlockColumns,
    block_hash: t.hex('Hash of the block.').lasting(),
    parent_hash: t.hex('Hash of the parent block.').lasting(),
    sha3_uncles: t.address('Hash of the list of uncles.', nullable),
    miner: t.address(
      'Coinbase: the address that receives the fees, or the fixed address to which they are burned; null where the chain states none.',
      nullable,
    ),
    state_root: t.hex('Root of the state.', nullable),
    transactions_root: t.hex('Root of the transactions.', nullable),
    receipts_root: t.hex('Root of the receipts.', nullable),
    logs_bloom: t.blob('Bloom filter of the logs; null where the chain returns none.', nullable),
    ...wideColumns('difficulty', 'Difficulty.'),
    size: t.u64('Size of the block in bytes, as the node returns it.', nullable).unproven(),
    gas_limit: t.u64('Gas limit.', nullable),
    gas_used: t.int64('Gas used; on the C-Chain since Helicon an upper bound.'),
    timestamp_seconds: t.u64(
      'Unix time as in the header (timestamp): in seconds, on a few chains in milliseconds, microseconds or nanoseconds.',
    ),
    extra_data: t.blob('Extra data.', nullable),
    mix_hash: t.hex('Mix digest, or the random value of the beacon chain.', nullable),
    nonce: t.u64('Nonce of the header.', nullable),
    uncles: t.list(t.hex('Hash.'), 'Hashes of the uncles.', nullable).partlyUnproven(),
    ...wideColumns('base_fee_per_gas', 'Base fee in wei per gas (since London, since Apricot Phase 3, subnet-evm).'),
    withdrawals_root: t.hex('Root of the withdrawals (Shanghai).', nullable),
    withdrawals: t
      .list(
        t.struct(
          {
            withdrawal_index: t.u64('Position of the withdrawal among all of the chain (index).'),
            validator_index: t.u64('Index of the validator.'),
            address: t.address('Receiver.'),
            amount: t.u64('Amount in gwei.'),
          },
          'Withdrawal.',
        ),
        'Withdrawals of validators (Shanghai).',
        nullable,
      )
      .partlyUnproven(),
    blob_gas_used: t.u64('Blob gas used (Cancun, Etna).', nullable),
    excess_blob_gas: t.u64('Excess blob gas (Cancun, Etna).', nullable),
    parent_beacon_block_root: t.hex('Root of the parent beacon block (Cancun, Etna).', nullable),
    requests_hash: t.hex('Hash of the execution layer requests (Prague).', nullable),
    ext_data_hash: t.hex('Hash of the extra data with the atomic transactions (coreth).', nullable),
    block_extra_data: t.blob('Extra data with the atomic transactions (coreth).', nullable),
    ...wideColumns('ext_data_gas_used', 'Gas used by atomic transactions (coreth since Apricot Phase 4).'),
    ...wideColumns('block_gas_cost', 'Cost of the block in gas (coreth since Apricot Phase 4, subnet-evm).'),
    timestamp_milliseconds: t.u64('Unix time in milliseconds (since Granite).', nullable),
    min_delay_excess: t.u64('State of the minimum delay between blocks (since Granite).', nullable),
    target_exponent: t.u64('State of the gas target (since Helicon).', nullable),
    min_price_exponent: t.u64('State of the minimum gas price (since Helicon).', nullable),
    settled_height: t.int64('Number of the last block that this block settles (since Helicon).', nullable),
    settled_gas_unix: t.u64('Gas clock of the settled block, Unix time in seconds (since Helicon).', nullable),
    settled_gas_numerator: t.u64(
      'Gas clock of the settled block, numerator of the fraction of a second (since Helicon).',
      nullable,
    ),
    settled_excess: t.u64('Gas excess of the settled block (since Helicon).', nullable),
    transaction_count: t.int64('Number of transactions in the block.').lasting(),
    log_count: t.int64('Number of logs of the transactions in the block.').lasting(),
    l1_block_number: t.int64('Number of the last block of L1 that the block saw (Arbitrum).', nullable),
    block_access_list_hash: t.hex('Hash of the access list of the block (EIP-7928).', nullable),
    slot_number: t.u64('Number of the slot of the beacon chain (EIP-7843).', nullable),
  },
})
export type EvmBlockRow = RowOf<typeof evmBlocks>
