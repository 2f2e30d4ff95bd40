import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { wrapperColumns } from './shared/block-columns.ts'
import { cBlockColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const cBlocks = table({
  name: 'c_blocks',
  comment:
    'One row per accepted block of the C-Chain, with the header fields from the container. Since Helicon, state root, receipts root and logs bloom belong to the blocks that this block settles, and gas used and base fee are upper bounds.',
  key: ['network', 'blockchain_id', 'block_number'],
  sortBy: ['block_number'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  columns: {
    ...cBlockColumns,
    block_hash: t.hex('keccak256 of the header.'),
    parent_hash: t.hex('Hash of the parent block.'),
    sha3_uncles: t.address('Hash of the list of uncles, which is always empty.'),
    miner: t.address('Coinbase: the fixed address to which fees are burned.'),
    state_root: t.hex('Root of the state; since Helicon the state after the settled blocks.'),
    transactions_root: t.hex('Root of the transactions.'),
    receipts_root: t.hex('Root of the receipts; since Helicon those of the settled blocks.'),
    logs_bloom: t.blob('Bloom filter of the logs; since Helicon those of the settled blocks.'),
    ...wideColumns('difficulty', 'Difficulty.'),
    gas_limit: t.u64('Gas limit.'),
    gas_used: t.int64('Gas used; since Helicon an upper bound.'),
    timestamp_seconds: t.u64('Unix time in seconds, as in the header.'),
    extra_data: t.blob('Extra data: fee state and results of warp predicates.'),
    mix_hash: t.address('Mix digest: all zero.'),
    nonce: t.u64('Nonce of the header: 0.'),
    ext_data_hash: t.hex('Hash of the extra data with the atomic transactions; zero before Apricot Phase 1.'),
    ...wideColumns(
      'base_fee_per_gas',
      'Base fee in wei per gas (since Apricot Phase 3); since Helicon an upper bound.',
    ),
    ...wideColumns('ext_data_gas_used', 'Gas used by atomic transactions (since Apricot Phase 4).'),
    ...wideColumns('block_gas_cost', 'Cost of the block in gas (since Apricot Phase 4).'),
    blob_gas_used: t.u64('Blob gas used (since Etna), always 0.', nullable),
    excess_blob_gas: t.u64('Excess blob gas (since Etna), always 0.', nullable),
    parent_beacon_block_root: t.address('Root of the parent beacon block (since Etna), always zero.', nullable),
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
    header_field_count: t.int64('Number of fields in the header, 16 to 30; it shows the network upgrade of the block.'),
    ext_data_length: t.int64('Length of the extra data with the atomic transactions, in bytes.'),
    transaction_count: t.int64('Number of EVM transactions in the block.'),
    atomic_transaction_count: t.int64('Number of atomic transactions in the block.'),
    ...wrapperColumns,
  },
})
export type CBlock = RowOf<typeof cBlocks>
