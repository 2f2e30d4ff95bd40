import { type RowOf, t } from '../src/define/index.ts'
import { evmBlockColumns, evmTable } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmBlocks = table({
  name: 'evm_blocks',
  comment:
    'One row per block of an EVM chain, as its RPC shows it: every field that geth, coreth or subnet-evm have, null where the chain has none. On the C chain from Helicon on, roots and bloom are those of the blocks that this one settles.',
  ...evmTable(),
  rowGroup: 'nested',
  columns: {
    ...evmBlockColumns,
    block_hash: t.hex('Hash of the block.'),
    parent_hash: t.hex('Hash of the parent block.'),
    sha3_uncles: t.address('Hash of the list of uncles.', nullable),
    miner: t.address('Coinbase: who gets the fees, or the fixed address that they are burned to.'),
    state_root: t.hex('Root of the state.', nullable),
    transactions_root: t.hex('Root of the transactions.', nullable),
    receipts_root: t.hex('Root of the receipts.', nullable),
    logs_bloom: t.blob('Bloom filter of the logs.', nullable),
    ...wideColumns('difficulty', 'Difficulty.'),
    ...wideColumns('total_difficulty', 'Difficulty of the chain up to this block.'),
    size: t.u64('Size in bytes that the node states.', nullable),
    gas_limit: t.u64('Gas limit.', nullable),
    gas_used: t.int64('Gas used; on the C chain from Helicon on a worst case, not what was used.'),
    timestamp_seconds: t.u64('Time in Unix seconds, as the header states it (timestamp).'),
    extra_data: t.blob('Extra data.', nullable),
    mix_hash: t.hex('Mix digest, or the beacon of randomness.', nullable),
    nonce: t.u64('Nonce of the header.', nullable),
    uncles: t.list(t.hex('Hash.'), 'Hashes of the uncles.', nullable),
    ...wideColumns('base_fee_per_gas', 'Base fee in wei (London, Apricot 3, subnet-evm).'),
    withdrawals_root: t.hex('Root of the withdrawals (Shanghai).', nullable),
    withdrawals: t.list(
      t.struct(
        {
          withdrawal_index: t.u64('Position among all withdrawals of the chain (index).'),
          validator_index: t.u64('Number of the validator.'),
          address: t.address('Receiver.'),
          amount: t.u64('Amount in gwei.'),
        },
        'Withdrawal.',
      ),
      'Withdrawals of validators (Shanghai).',
      nullable,
    ),
    blob_gas_used: t.u64('Blob gas used (Cancun, Etna).', nullable),
    excess_blob_gas: t.u64('Excess blob gas (Cancun, Etna).', nullable),
    parent_beacon_block_root: t.hex('Root of the parent beacon block (Cancun, Etna).', nullable),
    requests_hash: t.hex('Hash of the requests of the execution layer (Prague).', nullable),
    ext_data_hash: t.hex('Hash of the extra data that holds the atomic transactions (coreth).', nullable),
    block_extra_data: t.blob('Extra data that holds the atomic transactions (coreth).', nullable),
    ...wideColumns('ext_data_gas_used', 'Gas used by atomic transactions (Apricot 4, coreth).'),
    ...wideColumns('block_gas_cost', 'Gas cost of the block (Apricot 4, subnet-evm).'),
    timestamp_milliseconds: t.u64('Time in Unix milliseconds (Granite).', nullable),
    min_delay_excess: t.u64('State of the minimum delay between blocks (Granite).', nullable),
    target_exponent: t.u64('State of the gas target (Helicon).', nullable),
    min_price_exponent: t.u64('State of the least gas price (Helicon).', nullable),
    settled_height: t.int64('Number of the last block that this one settles (Helicon).', nullable),
    settled_gas_unix: t.u64('Gas clock of the settled block, Unix seconds (Helicon).', nullable),
    settled_gas_numerator: t.u64('Gas clock of the settled block, fraction (Helicon).', nullable),
    settled_excess: t.u64('Gas excess of the settled block (Helicon).', nullable),
    transaction_count: t.int64('Transactions in the block.'),
    log_count: t.int64('Logs in the block.'),
  },
})
export type EvmBlockRow = RowOf<typeof evmBlocks>
