import { type RowOf, t } from '../src/define/index.ts'
import { stateBlock, stateColumns, stateTable } from './shared/state-columns.ts'
import { table } from './shared/table.ts'

export const evmStorage = table({
  name: 'evm_storage',
  comment:
    'Storage slots of contracts of an EVM chain after blocks, as a node returns them (eth_getStorageAt). One row per contract, slot and block.',
  ...stateTable('address', 'slot'),
  lasting: ['block_hash'],
  streamValues: [
    { column: 'address', parameter: 'address' },
    { column: 'slot', parameter: 'slot' },
  ],
  unproven: { partly: [...stateBlock] },
  columns: {
    ...stateColumns,
    address: t.address('Address of the contract.').partlyUnproven(),
    slot: t.address('Storage slot: 0x and 64 digits.').partlyUnproven(),
    slot_value: t.address('Value of the slot: 0x and 64 digits; zeros when it is empty.').lasting().unproven(),
  },
})
export type EvmStorage = RowOf<typeof evmStorage>
