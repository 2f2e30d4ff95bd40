import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

export const evmStorageChanges = table({
  name: 'evm_storage_changes',
  comment:
    'Changes of storage slots on an EVM chain, from the prestate tracer of a node. A transaction has one row for each slot of a contract whose value it changed. A deletion clears all slots of a contract: those that its transaction did not use have no row.',
  ...evmTable('transaction_index', 'address', 'slot'),
  lasting: ['transaction_hash'],
  unproven: {
    partly: [...transactionPlace],
  },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the contract.').partlyUnproven(),
    slot: t.address('Storage slot: 0x and 64 digits.').partlyUnproven(),
    slot_value_before: t
      .address('Value before the transaction: 0x and 64 digits; zeros when the slot was empty.')
      .lasting()
      .partlyUnproven(),
    slot_value_after: t
      .address('Value after the transaction: 0x and 64 digits; zeros when the slot is empty.')
      .lasting()
      .partlyUnproven(),
  },
})
export type EvmStorageChange = RowOf<typeof evmStorageChanges>
