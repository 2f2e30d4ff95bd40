import { identity, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const nodeAssets = table({
  name: 'node_assets',
  comment:
    'Name, symbol and denomination of an asset, as a node reports them (xvm.getAssetDescription). They never change.',
  key: ['network', 'asset_id'],
  sortBy: ['asset_id'],
  partitionBy: [identity('network')],
  unproven: {
    partly: ['asset_id', 'blockchain_id', 'name', 'symbol', 'denomination'],
  },
  columns: {
    ...networkColumn,
    asset_id: t.cb58('Asset: the transaction that created it.'),
    blockchain_id: t.address('Chain of the asset VM that the request went to.'),
    name: t.text('Name.'),
    symbol: t.text('Symbol.'),
    denomination: t.int64('Decimal places.'),
  },
})
