import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { wrapperColumns } from './shared/block-columns.ts'
import { cBlockColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const cBlocks = table({
  name: 'c_blocks',
  comment:
    'One row per accepted block of the C chain: the header as the container has it. From Helicon on, roots and bloom are those of the blocks that this one settles, gas and base fee are worst cases.',
  key: ['network', 'blockchain_id', 'block_number'],
  sortBy: ['block_number'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  columns: {
    ...cBlockColumns,
    block_hash: t.hex('keccak256 of the header.'),
    parent_hash: t.hex('Hash of the parent block.'),
    sha3_uncles: t.address('Hash of the list of uncles: always that of an empty one.'),
    miner: t.address('Coinbase: the fixed address that fees are burned to.'),
    state_root: t.hex('Root of the state; from Helicon on after the settled blocks.'),
    transactions_root: t.hex('Root of the transactions.'),
    receipts_root: t.hex('Root of the receipts; from Helicon on of the settled blocks.'),
    logs_bloom: t.blob('Bloom filter of the logs; from Helicon on of the settled blocks.'),
    ...wideColumns('difficulty', 'Difficulty.'),
    gas_limit: t.u64('Gas limit.'),
    gas_used: t.int64('Gas used; from Helicon on a worst case, not what was used.'),
    timestamp_seconds: t.u64('Time in Unix seconds, as the header states it.'),
    extra_data: t.blob('Extra data: fee state and warp predicate results.'),
    mix_hash: t.address('Mix digest: all zero.'),
    nonce: t.u64('Nonce of the header: 0.'),
    ext_data_hash: t.hex('Hash of the extra data that holds the atomic transactions; zero before Apricot phase 1.'),
    ...wideColumns('base_fee_per_gas', 'Base fee in wei (Apricot 3); from Helicon on a worst case.'),
    ...wideColumns('ext_data_gas_used', 'Gas used by atomic transactions (Apricot 4).'),
    ...wideColumns('block_gas_cost', 'Gas cost of the block (Apricot 4).'),
    blob_gas_used: t.u64('Blob gas used (Etna): 0.', nullable),
    excess_blob_gas: t.u64('Excess blob gas (Etna): 0.', nullable),
    parent_beacon_block_root: t.address('Root of the parent beacon block (Etna): zero.', nullable),
    timestamp_milliseconds: t.u64('Time in Unix milliseconds (Granite).', nullable),
    min_delay_excess: t.u64('State of the minimum delay between blocks (Granite).', nullable),
    target_exponent: t.u64('State of the gas target (Helicon).', nullable),
    min_price_exponent: t.u64('State of the least gas price (Helicon).', nullable),
    settled_height: t.int64('Number of the last block that this one settles (Helicon).', nullable),
    settled_gas_unix: t.u64('Gas clock of the settled block, Unix seconds (Helicon).', nullable),
    settled_gas_numerator: t.u64('Gas clock of the settled block, fraction (Helicon).', nullable),
    settled_excess: t.u64('Gas excess of the settled block (Helicon).', nullable),
    header_field_count: t.int64('Fields of the header: 16 to 30; tells the upgrade.'),
    ext_data_length: t.int64('Bytes of the extra data that holds the atomic transactions.'),
    transaction_count: t.int64('EVM transactions in the block.'),
    atomic_transaction_count: t.int64('Atomic transactions in the block.'),
    ...wrapperColumns,
  },
})
export type CBlock = RowOf<typeof cBlocks>
