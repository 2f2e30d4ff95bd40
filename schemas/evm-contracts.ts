import { nullable, t } from '../src/define/index.ts'
import { eventColumns, evmTable, stateColumns, stateTable, tracedColumns, wideColumns } from './shared/evm-columns.ts'
import { partlyUnproven, table } from './shared/table.ts'

export const evmEventFailures = table({
  name: 'evm_event_failures',
  comment:
    'One row per log that has the topics of an event of evm-events but other data than its ABI allows, with the raw log. Such a log is in no table of events.',
  ...evmTable('transaction_index', 'log_index', 'table_name'),
  lasting: ['transaction_hash', 'contract'],
  numbered: 'log_index',
  unproven: { partly: ['block_time', 'transaction_index', 'transaction_hash', 'log_index', 'contract'] },
  columns: {
    ...eventColumns,
    ...partlyUnproven({
      table_name: t.text('The table of the event, which does not have the log.'),
      reason: t.text(
        'short_data, trailing_data, dirty_padding, invalid_utf8, wrong_offset (an offset or a length beyond the data), or overlapping_data (parts of the data are used twice).',
      ),
      parameter: t.text('Column of the parameter that cannot be decoded; null for the data as a whole.', nullable),
      topic0: t.address('First topic: for most events the hash of their signature.', nullable).lasting(),
      topic1: t.address('Second topic.', nullable).lasting(),
      topic2: t.address('Third topic.', nullable).lasting(),
      topic3: t.address('Fourth topic.', nullable).lasting(),
      data: t.blob('Data of the log.').lasting(),
    }),
  },
})

export const evmTraces = table({
  name: 'evm_traces',
  comment:
    'One row per call of a transaction of an EVM chain, as the call tracer of a node returns them: the transaction itself, and each call, creation and self-destruct within it. A transaction that the chain does not trace, such as one of the chain itself, has one row with the call type UNTRACED. The genesis block has none.',
  ...evmTable('transaction_index', 'trace_index'),
  lasting: ['value_raw'],
  columns: {
    ...tracedColumns,
    trace_index: t.int64(
      'Position of the call in the transaction, from 0 for the transaction itself: each call before the calls that it made.',
    ),
    trace_address: t
      .text(
        'Path to the call: the position in each list of calls, such as 0.1 for the second call of the first one. Empty for the transaction itself.',
      )
      .lasting(),
    depth: t.int64('Number of calls around this one: 0 for the transaction itself.'),
    // Transactions and receipts prove most of these for the first call of a transaction only.
    ...partlyUnproven({
      call_type: t
        .text(
          'CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2 or SELFDESTRUCT, in upper case whatever the node writes; INVALID for a transfer of the chain itself (Arbitrum), UNTRACED for a transaction that the chain does not trace.',
        )
        .at('type'),
      from_address: t
        .address('Caller: the sender of the transaction, or a contract; null if UNTRACED.', nullable)
        .at('from')
        .lasting(),
      to_address: t
        .address(
          'Called address, created contract, or receiver of the balance of a destroyed contract; null for a creation that failed, and where a client does not state the receiver.',
          nullable,
        )
        .at('to'),
      ...wideColumns(
        'value',
        'Amount in wei. A DELEGATECALL and a CALLCODE repeat an amount that they do not move; null where the node states none, as for a STATICCALL.',
        'value',
      ),
      gas: t.u64('Gas that the call could use; null where the node states none.', nullable).at('gas'),
      gas_used: t
        .u64('Gas that the call used, with the calls within it; null where the node states none.', nullable)
        .at('gasUsed'),
      input: t
        .blob('Input of the call; for a creation its code. Null where the node states none.', nullable)
        .at('input')
        .lasting(),
      output: t
        .blob(
          'What the call returned: for a creation the code of the contract, for a reverted call its revert data; null where the node states nothing.',
          nullable,
        )
        .at('output'),
      error: t
        .text('Why the call failed, as the node says it, such as execution reverted; null if it did not.', nullable)
        .at('error'),
      revert_reason: t.text('The text in the revert data; null where there is none.', nullable).at('revertReason'),
    }),
    reverted: t.boolean('Whether the call had no effect: it failed, or a call around it did.'),
    child_count: t.int64('Number of calls that the call itself made.'),
  },
})

export const evmCalls = table({
  name: 'evm_calls',
  comment:
    'Results of calls of contracts of an EVM chain after blocks, as a node executes them without a transaction (eth_call). One row per contract, input and block.',
  ...stateTable('contract', 'input_hash'),
  rowGroup: 'nested',
  streamValues: [
    { column: 'contract', parameter: 'contract' },
    { column: 'input_hash', parameter: 'input_hash' },
  ],
  columns: {
    ...stateColumns,
    contract: t.address('Called contract.').partlyUnproven(),
    input_hash: t.address('Keccak-256 hash of the input.'),
    function: t
      .text('Called function as Solidity declares it; null if the job gave only the input.', nullable)
      .partlyUnproven(),
    input: t.blob('Input of the call.'),
    arguments: t.text('Arguments as a JSON list, with integers and bytes as text; null without a function.', nullable),
    status: t
      .text(
        'ok: the call returned; reverted: the contract reverted; failed: an exception of the EVM, such as out of gas; no_code: the account has no code.',
      )
      .partlyUnproven(),
    output: t.blob('What the call returned; null unless status is ok.', nullable).partlyUnproven(),
    outputs: t.text(
      'Output as a JSON list, with integers and bytes as text; null without declared outputs, and where the output is not of their types.',
      nullable,
    ),
    ...partlyUnproven({
      error: t.text(
        'Message of the node for a call that did not return; of status ok, why the output is not of the declared types, with the reasons of evm_event_failures.',
        nullable,
      ),
      revert_data: t.blob('Data with which the call reverted; null where the node returned none.', nullable),
    }),
  },
})

export const evmTokens = table({
  name: 'evm_tokens',
  comment:
    'Names, symbols, decimals and supplies of tokens of an EVM chain after blocks, as their contracts return them (eth_call of name, symbol, decimals and totalSupply). One row per token and block.',
  ...stateTable('token_address'),
  rowGroup: 'nested',
  streamValues: [{ column: 'token_address', parameter: 'token_address' }],
  columns: {
    ...stateColumns,
    token_address: t.address('Contract of the token.').partlyUnproven(),
    name: t.text('Name; null where the contract returns no text.', nullable),
    name_raw_output: t.blob('What name() returned; null where the call did not return.', nullable).partlyUnproven(),
    name_form: t.text(
      'Form of that output: string, bytes32 (the text with zeros after it, as early contracts return it), or invalid; null where the call did not return.',
      nullable,
    ),
    name_error: t.text('Message of the node for a call of name() that did not return.', nullable).unproven(),
    symbol: t.text('Symbol; null where the contract returns no text.', nullable),
    symbol_raw_output: t.blob('What symbol() returned; null where the call did not return.', nullable).partlyUnproven(),
    symbol_form: t.text('Form of that output, as in name_form.', nullable),
    symbol_error: t.text('Message of the node for a call of symbol() that did not return.', nullable).unproven(),
    ...wideColumns(
      'decimals',
      'Decimal places of the token, which programs show; null where the contract returns no number.',
    ),
    decimals_raw_output: t
      .blob('What decimals() returned; null where the call did not return.', nullable)
      .partlyUnproven(),
    decimals_form: t.text('Form of that output: uint256 or invalid; null where the call did not return.', nullable),
    decimals_error: t.text('Message of the node for a call of decimals() that did not return.', nullable).unproven(),
    ...wideColumns('total_supply', 'Supply in the least unit of the token; null where the contract returns no number.'),
    total_supply_raw_output: t
      .blob('What totalSupply() returned; null where the call did not return.', nullable)
      .partlyUnproven(),
    total_supply_form: t.text('Form of that output, as in decimals_form.', nullable),
    total_supply_error: t
      .text('Message of the node for a call of totalSupply() that did not return.', nullable)
      .unproven(),
  },
})
