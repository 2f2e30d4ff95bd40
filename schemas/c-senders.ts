import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cBlockColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'

export const cSenders = table({
  name: 'c_senders',
  comment:
    'One row per EVM transaction of the C-Chain: its sender, recovered from the signature. Written with --senders.',
  key: ['network', 'blockchain_id', 'block_number', 'transaction_index'],
  sortBy: ['block_number', 'transaction_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  columns: {
    ...cBlockColumns,
    transaction_index: t.int64('Position in the block.'),
    transaction_hash: t.hex('keccak256 of the raw transaction.'),
    from_address: t.address('Sender.').partlyUnproven(),
  },
})
export type CSender = RowOf<typeof cSenders>
