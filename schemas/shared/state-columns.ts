import { identity, month, t } from '../../src/define/index.ts'
import { evmBlockColumns } from './evm-columns.ts'

/** First columns of every table of the state of an EVM chain at blocks. */
export const stateColumns = {
  ...evmBlockColumns,
  block_hash: t.hex('Hash of the block. The value is the state after this block.'),
}

/** Key and partition of such a table; `subject` are the columns that say what was read at the block. */
export function stateTable<const S extends readonly string[]>(...subject: S) {
  return {
    key: ['network', 'chain_id', ...subject, 'block_number'],
    sortBy: [...subject, 'block_number'],
    partitionBy: [identity('network'), identity('chain_id'), month('block_time')],
  } as const
}

/** Columns of a table of state that only `evm_blocks` may hold too. */
export const stateBlock = ['block_number', 'block_hash', 'block_time'] as const
