import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmTraces = table({
  name: 'evm_traces',
  comment:
    'One row per call of a transaction of an EVM chain, as the call tracer of a node returns them: the transaction itself, and each call, creation and self-destruct within it. A transaction that the chain does not trace, such as one of the chain itself, has one row with the call type UNTRACED. The genesis block has none.',
  ...evmTable('transaction_index', 'trace_index'),
  lasting: ['transaction_hash', 'value_raw'],
  unproven: {
    // Transactions and receipts prove these columns, most of them for the first call of a transaction only, if the lake has them.
    partly: ['block_number', 'block_time', 'transaction_index', 'transaction_hash', 'value', 'value_raw'],
  },
  columns: {
    ...evmTransactionColumns,
    trace_index: t.int64(
      'Position of the call in the transaction, from 0 for the transaction itself: each call before the calls that it made.',
    ),
    trace_address: t
      .text(
        'Path to the call: the position in each list of calls, such as 0.1 for the second call of the first one. Empty for the transaction itself.',
      )
      .lasting(),
    depth: t.int64('Number of calls around this one: 0 for the transaction itself.'),
    call_type: t
      .text(
        'CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2 or SELFDESTRUCT, in upper case whatever the node writes; INVALID for a transfer of the chain itself (Arbitrum), UNTRACED for a transaction that the chain does not trace.',
      )
      .partlyUnproven(),
    from_address: t
      .address('Caller: the sender of the transaction, or a contract; null if UNTRACED.', nullable)
      .lasting()
      .partlyUnproven(),
    to_address: t
      .address(
        'Called address, created contract, or receiver of the balance of a destroyed contract; null for a creation that failed.',
        nullable,
      )
      .partlyUnproven(),
    ...wideColumns(
      'value',
      'Amount in wei. A DELEGATECALL and a CALLCODE repeat an amount that they do not move; null where the node states none, as for a STATICCALL.',
    ),
    gas: t.u64('Gas that the call could use; null where the node states none.', nullable).partlyUnproven(),
    gas_used: t
      .u64('Gas that the call used, with the calls within it; null where the node states none.', nullable)
      .partlyUnproven(),
    input: t
      .blob('Input of the call; for a creation its code. Null where the node states none.', nullable)
      .lasting()
      .partlyUnproven(),
    output: t
      .blob(
        'What the call returned: for a creation the code of the contract, for a reverted call its revert data; null where the node states nothing.',
        nullable,
      )
      .partlyUnproven(),
    error: t
      .text('Why the call failed, as the node says it, such as execution reverted; null if it did not.', nullable)
      .partlyUnproven(),
    revert_reason: t.text('The text in the revert data; null where there is none.', nullable).partlyUnproven(),
    reverted: t.boolean('Whether the call had no effect: it failed, or a call around it did.'),
    child_count: t.int64('Number of calls that the call itself made.'),
  },
})
export type EvmTrace = RowOf<typeof evmTraces>
