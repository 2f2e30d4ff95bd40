import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeBalances = table({
  name: 'node_balances',
  comment:
    'Balance of an address in an asset, as the node computes it (platform.getBalance, xvm.getBalance, xvm.getAllBalances). One row per observation.',
  key: ['network', 'blockchain_id', 'address', 'asset_id', 'observation_id'],
  sortBy: ['blockchain_id', 'address', 'asset_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { assets: 'asset_id' } },
  columns: {
    ...chainColumns,
    address: t.address('Address, bech32 without chain prefix.'),
    asset_id: t.address('Id of the asset; aliases such as AVAX are resolved.').unproven(),
    ...observationColumns,
    asset: t.text('The asset as the node names it, or on the X-Chain the request: an id or an alias.').unproven(),
    balance: t
      .u64(
        'Balance in the least unit of the asset (AVAX: nAVAX). P-Chain: all UTXOs that the address owns, also together with others. X-Chain: unlocked UTXOs that it owns alone, at most 2^64 − 1.',
      )
      .unproven(),
    unlocked: t
      .u64(
        'Part of the balance that could be spent at that time, in the least unit of the asset (AVAX: nAVAX); null on the X-Chain.',
        nullable,
      )
      .unproven(),
    locked_stakeable: t
      .u64(
        'Part of the balance that could only be staked at that time, in the least unit of the asset (AVAX: nAVAX); null on the X-Chain.',
        nullable,
      )
      .unproven(),
    locked_not_stakeable: t
      .u64(
        'Part of the balance that could be neither spent nor staked at that time, in the least unit of the asset (AVAX: nAVAX); null on the X-Chain.',
        nullable,
      )
      .unproven(),
    utxo_ids: t
      .list(
        t.cb58('Id.'),
        'UTXOs that the node counted (P-Chain: of all assets); null where the node does not list them (getAllBalances).',
        nullable,
      )
      .unproven(),
  },
})
export type NodeBalance = RowOf<typeof nodeBalances>
