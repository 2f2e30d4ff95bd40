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
  lasting: ['transaction_hash', 'from_address', 'to_address', 'value_raw'],
  rowGroup: 'nested',
  unproven: {
    partly: ['effective_gas_price', 'effective_gas_price_raw', ...signedColumns],
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
    status: t
      .int64('1: success, 0: failure; null before Byzantium, when receipts had no status.', nullable)
      .lasting()
      .partlyUnproven(),
    receipt_root: t
      .hex(
        'Root of the state after the transaction (root of the receipt, before Byzantium); null where a chain writes a status there.',
        nullable,
      )
      .partlyUnproven(),
    gas_used: t
      .int64('Gas used; null where the chain has no receipt of the transaction.', nullable)
      .lasting()
      .partlyUnproven(),
    cumulative_gas_used: t
      .int64(
        'Gas used by this transaction and those before it in the block, as the chain counts it; null without a receipt.',
        nullable,
      )
      .partlyUnproven(),
    ...wideColumns('effective_gas_price', 'Price paid, in wei per gas; null where the RPC returns none.'),
    blob_gas_used: t.u64('Blob gas used (type 3).', nullable),
    ...wideColumns('blob_gas_price', 'Price paid, in wei per blob gas (type 3).'),
    contract_address: t.address(
      'Contract that the transaction created; null for others, also where a chain repeats the called contract or writes zeros.',
      nullable,
    ),
    logs_bloom: t.blob('Bloom filter of the logs in the receipt; null where the node returns none.', nullable),
    log_count: t.int64('Number of logs of the transaction; null without a receipt.', nullable).lasting(),
    ...wideColumns('l1_fee', 'Fee in wei for the data on L1, which is not part of the gas (OP stack, Scroll).'),
    l1_gas_used: t.u64('Gas that the data would use on L1 (OP stack).', nullable),
    ...wideColumns('l1_gas_price', 'Price of the data in wei per gas of L1 (OP stack).'),
    l1_fee_scalar: t.text('Factor of the fee for L1, as the chain writes it (OP stack before Ecotone).', nullable),
    ...wideColumns('mint', 'Amount in wei that a deposit creates on the chain (OP stack).'),
    source_hash: t.hex('Origin of a deposit (OP stack).', nullable),
    is_system_tx: t.boolean('Whether a deposit is one of the chain itself (OP stack).', nullable),
    gas_used_for_l1: t.u64('The part of the gas that pays for the data on L1 (Arbitrum).', nullable),
    l1_block_number: t.int64('Number of the block of L1 that the receipt states (Arbitrum).', nullable),
  },
})
export type EvmTransaction = RowOf<typeof evmTransactions>
