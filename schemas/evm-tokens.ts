import { type RowOf, t } from '../src/define/index.ts'
import { stateBlock, stateColumns, stateTable } from './shared/state-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmTokens = table({
  name: 'evm_tokens',
  comment:
    'Names, symbols, decimals and supplies of tokens of an EVM chain after blocks, as their contracts return them (eth_call of name, symbol, decimals and totalSupply). One row per token and block.',
  ...stateTable('token_address'),
  lasting: ['block_hash'],
  rowGroup: 'nested',
  streamValues: [{ column: 'token_address', parameter: 'token_address' }],
  unproven: {
    partly: [...stateBlock],
  },
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
export type EvmToken = RowOf<typeof evmTokens>
