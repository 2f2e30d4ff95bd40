import { type RowOf, t } from '../src/define/index.ts'
import { stateBlock, stateColumns, stateTable } from './shared/state-columns.ts'
import { table } from './shared/table.ts'

export const evmCodes = table({
  name: 'evm_codes',
  comment:
    'Codes of accounts of an EVM chain after blocks, as a node returns them (eth_getCode). One row per account and block.',
  ...stateTable('address'),
  lasting: ['block_hash'],
  rowGroup: 'raw',
  streamValues: [{ column: 'address', parameter: 'address' }],
  unproven: { partly: [...stateBlock] },
  columns: {
    ...stateColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    code: t.blob('Code that runs when the account is called; empty for an account without code.'),
    code_hash: t.address('Keccak-256 hash of the code; for an account without code that of no bytes.').lasting(),
  },
})
export type EvmCode = RowOf<typeof evmCodes>
