import { type RowOf, t } from '../src/define/index.ts'
import { stateBlock, stateColumns, stateTable } from './shared/state-columns.ts'
import { table } from './shared/table.ts'

export const evmNonces = table({
  name: 'evm_nonces',
  comment:
    'Nonces of accounts of an EVM chain after blocks, as a node returns them (eth_getTransactionCount). One row per account and block.',
  ...stateTable('address'),
  lasting: ['block_hash'],
  streamValues: [{ column: 'address', parameter: 'address' }],
  unproven: { partly: [...stateBlock] },
  columns: {
    ...stateColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    nonce: t
      .u64('Nonce: the number of transactions that the account sent, and of contracts that a contract created.')
      .lasting()
      .unproven(),
  },
})
export type EvmNonce = RowOf<typeof evmNonces>
