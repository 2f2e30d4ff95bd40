import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const chains = table({
  name: 'chains',
  comment: 'One row per chain of the Primary Network, for each exported network.',
  key: ['network', 'blockchain_id'],
  sortBy: ['blockchain_id'],
  partitionBy: [identity('network')],
  columns: {
    ...networkColumn,
    blockchain_id: t.cb58('Id of the chain.'),
    alias: t.text('P, X or C.'),
    vm_id: t.cb58('Id of the virtual machine that the chain runs; null where no source states it.', { nullable: true }),
    subnet_id: t.cb58('Id of the subnet that validates the chain.'),
    native_asset_id: t.cb58(
      'Asset id of the native token (AVAX); null where neither the built-in constants nor the node state it.',
      {
        nullable: true,
      },
    ),
  },
})
export type ChainRow = RowOf<typeof chains>
