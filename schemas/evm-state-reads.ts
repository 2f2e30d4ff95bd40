import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const evmStateReads = table({
  name: 'evm_state_reads',
  comment:
    'State that the transactions of an EVM chain read or changed, with its values before each transaction, from the prestate tracer of a node. One row per transaction and account, and one more per slot that the transaction used.',
  ...evmTable('transaction_index', 'address', 'slot'),
  lasting: ['transaction_hash'],
  unproven: {
    partly: [...transactionPlace],
  },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    slot: t
      .address('Storage slot: 0x and 64 digits; null in the row of the account itself.', nullable)
      .partlyUnproven(),
    balance: t
      .decimal38(
        'Balance in wei of the account before the transaction; null in the row of a slot, and when it has more than 38 digits.',
        nullable,
      )
      .partlyUnproven(),
    balance_raw: t
      .text(
        'Balance in wei of the account before the transaction, as text with all digits; null in the row of a slot.',
        nullable,
      )
      .lasting()
      .partlyUnproven(),
    nonce: t.u64('Nonce of the account before the transaction; null in the row of a slot.', nullable).partlyUnproven(),
    code_hash: t
      .address(
        'Keccak-256 hash of the code of the account before the transaction; for an account without code that of no bytes. Null in the row of a slot.',
        nullable,
      )
      .lasting()
      .partlyUnproven(),
    slot_value: t
      .address(
        'Value of the slot before the transaction: 0x and 64 digits; zeros when it was empty. Null in the row of the account.',
        nullable,
      )
      .lasting()
      .partlyUnproven(),
  },
})
export type EvmStateRead = RowOf<typeof evmStateReads>
