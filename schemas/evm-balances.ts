import { type RowOf, t } from '../src/define/index.ts'
import { stateBlock, stateColumns, stateTable } from './shared/state-columns.ts'
import { table } from './shared/table.ts'

export const evmBalances = table({
  name: 'evm_balances',
  comment:
    'Balances of accounts of an EVM chain after blocks, as a node returns them (eth_getBalance). One row per account and block.',
  ...stateTable('address'),
  lasting: ['block_hash'],
  streamValues: [{ column: 'address', parameter: 'address' }],
  unproven: { partly: [...stateBlock] },
  columns: {
    ...stateColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    balance: t.decimal38('Balance in wei; null when it has more than 38 digits.', { nullable: true }).partlyUnproven(),
    balance_raw: t.text('Balance in wei as text with all digits.').lasting().partlyUnproven(),
  },
})
export type EvmBalance = RowOf<typeof evmBalances>
