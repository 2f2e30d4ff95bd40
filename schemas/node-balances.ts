import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeBalances = table({
  name: 'node_balances',
  comment:
    'What an address has of an asset by the rules of the node (platform.getBalance, xvm.getBalance, xvm.getAllBalances), of each time that it was asked.',
  key: ['network', 'blockchain_id', 'address', 'asset_id', 'observation_id'],
  sortBy: ['blockchain_id', 'address', 'asset_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { assets: 'asset_id' } },
  columns: {
    ...chainColumns,
    address: t.address('The address, bech32 without chain prefix.'),
    asset_id: t.address('Id of the asset; an alias such as AVAX is resolved.'),
    ...observationColumns,
    asset: t.text('The asset as the node, or on the X chain the question, names it: an id or an alias.'),
    balance: t.u64(
      'Balance in the least unit of the asset: on P all UTXOs that the address has a part in; on X those that it owns alone and that are not locked, at most 2^64 - 1.',
    ),
    unlocked: t.u64('Of it what could be spent when the node was asked; null on X.', nullable),
    locked_stakeable: t.u64('Of it what could only be staked then; null on X.', nullable),
    locked_not_stakeable: t.u64('Of it what could be neither spent nor staked then; null on X.', nullable),
    utxo_ids: t.list(
      t.cb58('Id.'),
      'The UTXOs that were counted, on P those of all assets; null where the node does not name them (getAllBalances).',
      nullable,
    ),
  },
})
export type NodeBalance = RowOf<typeof nodeBalances>
