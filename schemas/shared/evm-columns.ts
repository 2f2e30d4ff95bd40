import { day, identity, t } from '../../src/define/index.ts'

/** First columns of every table of EVM blocks. */
export const evmBlockColumns = {
  network: t.text('Network: mainnet, fuji, local, network-<id> or evm-<chain id>.'),
  chain_id: t.address('EVM chain id in decimal digits, as the node returns it.'),
  block_number: t.int64('Number of the block. The genesis block has number 0.'),
  block_time: t.timestamp(
    'Time of the block (UTC), with milliseconds where the header has them; null after the year 9999. Of a chain that writes milliseconds, microseconds or nanoseconds where others write seconds, the time that these are.',
    { nullable: true },
  ),
}

/** First columns of every table of EVM transactions. */
export const evmTransactionColumns = {
  ...evmBlockColumns,
  transaction_index: t.int64('Position of the transaction in the block.'),
  transaction_hash: t.hex('Hash of the transaction.'),
}

/** Identifies a log together with the position of its transaction: some chains count logs within the transaction. */
export const logIndexColumn = t.int64(
  'Index of the log as the node states it: on most chains its position among all logs of the block, on some among those of the transaction.',
)

/** Those that `evm_transactions` proves, if the lake has it. */
export const transactionPlace = ['block_number', 'block_time', 'transaction_index', 'transaction_hash'] as const

/** Key and partition of a table of EVM blocks; `position` are the columns that distinguish rows of a block. */
export function evmTable<const P extends readonly string[]>(...position: P) {
  return {
    key: ['network', 'chain_id', 'block_number', ...position],
    sortBy: ['block_number', ...position],
    partitionBy: [identity('network'), identity('chain_id'), day('block_time')],
  } as const
}
