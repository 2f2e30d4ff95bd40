import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { table } from './shared/table.ts'

export const xAssets = table({
  name: 'x_assets',
  comment:
    'One row per asset that an X-Chain transaction creates. Assets of the genesis are in no container and not here.',
  key: ['network', 'blockchain_id', 'asset_id'],
  sortBy: ['asset_id'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  columns: {
    ...chainColumns,
    asset_id: t.cb58('Id of the asset: the id of the transaction that creates it.'),
    name: t.text('Name.'),
    symbol: t.text('Symbol.'),
    denomination: t.int64('Decimal places.'),
    has_mint_output: t.boolean('Whether more can be minted: the asset has an initial mint output of any kind.'),
    initial_supply: t.decimal38('Sum of the initial transfer outputs, in the least unit of the asset.'),
    block_time: t.timestamp('Time of the block (UTC); null in rows of the legacy index.', { nullable: true }),
  },
})
export type XAsset = RowOf<typeof xAssets>
