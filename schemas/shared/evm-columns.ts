import { day, identity, t } from '../../src/define/index.ts'

/** What every row of a block of an EVM chain begins with. */
export const evmBlockColumns = {
  network: t.text('Network: mainnet, fuji, local, network-<id>, else evm-<chain id>.'),
  chain_id: t.address('EVM chain id in decimal digits, as the node states it.'),
  block_number: t.int64('Number of the block; the genesis block is 0.'),
  block_time: t.timestamp(
    'Time of the block (UTC), in milliseconds where the header has them; null after the year 9999.',
    { nullable: true },
  ),
}

/** And every row of one of its transactions. */
export const evmTransactionColumns = {
  ...evmBlockColumns,
  transaction_index: t.int64('Position of the transaction in the block.'),
  transaction_hash: t.hex('Hash of the transaction.'),
}

/** Key and partition of a table of EVM blocks; `position` is what tells the rows of a block apart. */
export function evmTable<const P extends readonly string[]>(...position: P) {
  return {
    key: ['network', 'chain_id', 'block_number', ...position],
    sortBy: ['block_number', ...position],
    partitionBy: [identity('network'), identity('chain_id'), day('block_time')],
  } as const
}
