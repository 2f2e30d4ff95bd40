import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns } from './shared/evm-columns.ts'
import { signedColumns } from './shared/hashed-columns.ts'
import { table } from './shared/table.ts'
import { unsignedColumns } from './shared/unsigned-columns.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmTransactions = table({
  name: 'evm_transactions',
  comment: 'One row per transaction of an EVM chain, with the fields of its receipt, as the RPC returns them.',
  ...evmTable('transaction_index'),
  lasting: ['transaction_hash', 'from_address', 'to_address', 'value_raw', 'status', 'gas_used', 'log_count'],
  rowGroup: 'nested',
  unproven: {
    partly: [
      'receipt_root',
      'status',
      'effective_gas_price',
      'effective_gas_price_raw',
      'gas_used',
      'cumulative_gas_used',
      ...signedColumns,
    ],
  },
  columns: {
    ...evmTransactionColumns,
    ...unsignedColumns,
    y_parity: t.int64('Parity of the signature; null for legacy transactions.', nullable),
    v: t.decimal38(
      'Parity or v of the signature; null where there is none, and when it has more than 38 digits.',
      nullable,
    ),
    r: t.hex('r of the signature, 0x without leading zeros; null where there is none.', nullable),
    s: t.hex('s of the signature, 0x without leading zeros; null where there is none.', nullable),
    status: t.int64('1: success, 0: failure; null before Byzantium, when receipts had no status.', nullable),
    receipt_root: t.hex('Root of the state after the transaction (root of the receipt, before Byzantium).', nullable),
    gas_used: t.int64('Gas used.'),
    cumulative_gas_used: t.int64('Gas used by this transaction and those before it in the block.'),
    ...wideColumns('effective_gas_price', 'Price paid, in wei per gas; null where the RPC returns none.'),
    blob_gas_used: t.u64('Blob gas used (type 3).', nullable),
    ...wideColumns('blob_gas_price', 'Price paid, in wei per blob gas (type 3).'),
    contract_address: t.address('Contract that the transaction created; null for others.', nullable),
    logs_bloom: t.blob('Bloom filter of the logs in the receipt; null where the node returns none.', nullable),
    log_count: t.int64('Number of logs of the transaction.'),
  },
})
export type EvmTransaction = RowOf<typeof evmTransactions>
