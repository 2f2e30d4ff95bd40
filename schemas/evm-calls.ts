import { type RowOf, t } from '../src/define/index.ts'
import { stateBlock, stateColumns, stateTable } from './shared/state-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const evmCalls = table({
  name: 'evm_calls',
  comment:
    'Results of calls of contracts of an EVM chain after blocks, as a node executes them without a transaction (eth_call). One row per contract, input and block.',
  ...stateTable('contract', 'input_hash'),
  lasting: ['block_hash'],
  rowGroup: 'nested',
  streamValues: [
    { column: 'contract', parameter: 'contract' },
    { column: 'input_hash', parameter: 'input_hash' },
  ],
  unproven: {
    partly: [...stateBlock],
  },
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
    error: t
      .text(
        'Message of the node for a call that did not return; of status ok, why the output is not of the declared types, with the reasons of evm_event_failures.',
        nullable,
      )
      .partlyUnproven(),
    revert_data: t
      .blob('Data with which the call reverted; null where the node returned none.', nullable)
      .partlyUnproven(),
  },
})
export type EvmCall = RowOf<typeof evmCalls>
