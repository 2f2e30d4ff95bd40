import { nullable, t } from '../src/define/index.ts'
import { evmTable, exactColumns, stateColumns, stateTable, tracedColumns } from './shared/evm-columns.ts'
import { partlyUnproven, table } from './shared/table.ts'

export const evmBalances = table({
  name: 'evm_balances',
  comment:
    'Balances of accounts of an EVM chain after blocks, as a node returns them (eth_getBalance). One row per account and block.',
  ...stateTable('address'),
  streamValues: [{ column: 'address', parameter: 'address' }],
  columns: {
    ...stateColumns,
    ...partlyUnproven({
      address: t.address('Address of the account.'),
      balance: t.decimal38('Balance in wei; null when it has more than 38 digits.', nullable),
      balance_raw: t.text('Balance in wei as text with all digits.').lasting(),
    }),
  },
})

export const evmCodes = table({
  name: 'evm_codes',
  comment:
    'Codes of accounts of an EVM chain after blocks, as a node returns them (eth_getCode). One row per account and block.',
  ...stateTable('address'),
  rowGroup: 'raw',
  streamValues: [{ column: 'address', parameter: 'address' }],
  columns: {
    ...stateColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    code: t.blob('Code that runs when the account is called; empty for an account without code.'),
    code_hash: t.address('Keccak-256 hash of the code; for an account without code that of no bytes.').lasting(),
  },
})

export const evmNonces = table({
  name: 'evm_nonces',
  comment:
    'Nonces of accounts of an EVM chain after blocks, as a node returns them (eth_getTransactionCount). One row per account and block.',
  ...stateTable('address'),
  streamValues: [{ column: 'address', parameter: 'address' }],
  columns: {
    ...stateColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    nonce: t
      .u64('Nonce: the number of transactions that the account sent, and of contracts that a contract created.')
      .lasting()
      .unproven(),
  },
})

export const evmStorage = table({
  name: 'evm_storage',
  comment:
    'Storage slots of contracts of an EVM chain after blocks, as a node returns them (eth_getStorageAt). One row per contract, slot and block.',
  ...stateTable('address', 'slot'),
  streamValues: [
    { column: 'address', parameter: 'address' },
    { column: 'slot', parameter: 'slot' },
  ],
  columns: {
    ...stateColumns,
    address: t.address('Address of the contract.').partlyUnproven(),
    slot: t.address('Storage slot: 0x and 64 digits.').partlyUnproven(),
    slot_value: t.address('Value of the slot: 0x and 64 digits; zeros when it is empty.').lasting().unproven(),
  },
})

export const evmBalanceChanges = table({
  name: 'evm_balance_changes',
  comment:
    'Changes of balances on an EVM chain, from the prestate tracer of a node. One row per transaction and account with a changed balance. Atomic imports and exports of the C-Chain change balances after the transactions of a block: no row shows them.',
  ...evmTable('transaction_index', 'address'),
  lasting: ['balance_before_raw', 'balance_after_raw'],
  columns: {
    ...tracedColumns,
    ...partlyUnproven({
      address: t.address('Address of the account.'),
      ...exactColumns('balance_before', 'Balance in wei before the transaction'),
      ...exactColumns('balance_after', 'Balance in wei after the transaction'),
    }),
  },
})

export const evmCodeChanges = table({
  name: 'evm_code_changes',
  comment:
    'Changes of code on an EVM chain, from the prestate tracer of a node. A transaction has one row for each contract that it created or deleted.',
  ...evmTable('transaction_index', 'address'),
  rowGroup: 'raw',
  columns: {
    ...tracedColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    code_before: t.blob('Code before the transaction; empty for an account that had none.'),
    code_hash_before: t
      .address('Keccak-256 hash of code_before; for an account without code that of no bytes.')
      .lasting(),
    code_after: t.blob('Code after the transaction; empty for an account that it deleted.'),
    code_hash_after: t
      .address('Keccak-256 hash of code_after; for an account without code that of no bytes.')
      .lasting(),
  },
})

export const evmNonceChanges = table({
  name: 'evm_nonce_changes',
  comment:
    'Changes of nonces on an EVM chain, from the prestate tracer of a node. One row per transaction and account with a changed nonce: its sender, contracts that it created, and contracts that created others. Atomic exports of the C-Chain raise nonces too: no row shows them.',
  ...evmTable('transaction_index', 'address'),
  columns: {
    ...tracedColumns,
    ...partlyUnproven({
      address: t.address('Address of the account.'),
      nonce_before: t.u64('Nonce before the transaction; 0 for an account that the transaction created.').lasting(),
      nonce_after: t.u64('Nonce after the transaction; 0 for an account that the transaction deleted.').lasting(),
    }),
  },
})

export const evmStateReads = table({
  name: 'evm_state_reads',
  comment:
    'State that the transactions of an EVM chain read or changed, with its values before each transaction, from the prestate tracer of a node. One row per transaction and account, and one more per slot that the transaction used.',
  ...evmTable('transaction_index', 'address', 'slot'),
  columns: {
    ...tracedColumns,
    ...partlyUnproven({
      address: t.address('Address of the account.'),
      slot: t.address('Storage slot: 0x and 64 digits; null in the row of the account itself.', nullable),
      balance: t.decimal38(
        'Balance in wei of the account before the transaction; null in the row of a slot, and when it has more than 38 digits.',
        nullable,
      ),
      balance_raw: t
        .text(
          'Balance in wei of the account before the transaction, as text with all digits; null in the row of a slot.',
          nullable,
        )
        .lasting(),
      nonce: t.u64('Nonce of the account before the transaction; null in the row of a slot.', nullable),
      code_hash: t
        .address(
          'Keccak-256 hash of the code of the account before the transaction; for an account without code that of no bytes. Null in the row of a slot.',
          nullable,
        )
        .lasting(),
      slot_value: t
        .address(
          'Value of the slot before the transaction: 0x and 64 digits; zeros when it was empty. Null in the row of the account.',
          nullable,
        )
        .lasting(),
    }),
  },
})

export const evmStorageChanges = table({
  name: 'evm_storage_changes',
  comment:
    'Changes of storage slots on an EVM chain, from the prestate tracer of a node. One row per transaction and slot with a changed value. A deletion clears all slots of a contract: those that its transaction did not use have no row.',
  ...evmTable('transaction_index', 'address', 'slot'),
  columns: {
    ...tracedColumns,
    ...partlyUnproven({
      address: t.address('Address of the contract.'),
      slot: t.address('Storage slot: 0x and 64 digits.'),
      slot_value_before: t
        .address('Value before the transaction: 0x and 64 digits; zeros when the slot was empty.')
        .lasting(),
      slot_value_after: t
        .address('Value after the transaction: 0x and 64 digits; zeros when the slot is empty.')
        .lasting(),
    }),
  },
})
