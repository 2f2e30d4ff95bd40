import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns, stakeableLocktimeColumn } from './shared/transfer-columns.ts'
import { nftColumns, utxoPlaceColumns, xUtxoColumns } from './shared/utxo-columns.ts'

const { utxo_id, ...place } = utxoPlaceColumns

export const nodeUtxos = table({
  name: 'node_utxos',
  comment:
    'One row per UTXO that a node listed for addresses (platform, xvm and cx getUTXOs), of each time that they were read whole.',
  key: ['network', 'blockchain_id', 'utxo_id', 'observation_id'],
  sortBy: ['blockchain_id', 'utxo_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  columns: {
    ...chainColumns,
    utxo_id,
    ...observationColumns,
    source_chain_id: t.address('Chain that exported it; null for UTXOs of the chain itself.', { nullable: true }),
    ...place,
    ...xUtxoColumns,
    ...outputOwnerColumns,
    ...stakeableLocktimeColumn,
    ...nftColumns,
  },
})
export type NodeUtxo = RowOf<typeof nodeUtxos>
