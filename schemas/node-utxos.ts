import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns, stakeableLocktimeColumn } from './shared/transfer-columns.ts'
import { nftColumns, nftNames, utxoPlaceColumns, xUtxoColumns, xUtxoNames } from './shared/utxo-columns.ts'

const { utxo_id, ...place } = utxoPlaceColumns

export const nodeUtxos = table({
  name: 'node_utxos',
  comment:
    'UTXOs that a node lists for addresses (platform.getUTXOs, xvm.getUTXOs, cx.getUTXOs). One row per UTXO and complete observation.',
  key: ['network', 'blockchain_id', 'utxo_id', 'observation_id'],
  sortBy: ['blockchain_id', 'utxo_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  lasting: [
    ...(['tx_id', 'output_index', 'output_type', 'asset_id', 'amount'] as const),
    ...(['addresses', 'threshold', 'locktime', 'stakeable_locktime'] as const),
    ...nftNames,
  ],
  unproven: {
    partly: [...xUtxoNames, 'stakeable_locktime', ...nftNames],
  },
  columns: {
    ...chainColumns,
    utxo_id,
    ...observationColumns,
    source_chain_id: t
      .address('Chain that exported the UTXO; null for UTXOs created on the chain itself.', {
        nullable: true,
      })
      .lasting(),
    ...place,
    ...xUtxoColumns,
    ...outputOwnerColumns,
    ...stakeableLocktimeColumn,
    ...nftColumns,
  },
})
export type NodeUtxo = RowOf<typeof nodeUtxos>
