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
  columns: {
    ...networkColumn,
    asset_id: t.cb58('Asset: the transaction that created it.').at('assetID|assetId').partlyUnproven(),
    blockchain_id: t.address('Chain of the asset VM that the request went to.').partlyUnproven(),
    name: t.text('Name.').at('name').partlyUnproven(),
    symbol: t.text('Symbol.').at('symbol').partlyUnproven(),
    denomination: t.int64('Decimal places.').at('denomination', 'u8').partlyUnproven(),
  },
})
