import { identity } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { utxoColumns } from './shared/rest-utxo-columns.ts'
import { chainNameColumn, presentColumn, versionColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const { utxo_id, ...others } = utxoColumns

export const restUtxos = table({
  name: 'rest_utxos',
  comment: 'One row per version of a UTXO that the service lists for watched addresses. A changed UTXO gets a new row.',
  key: ['network', 'blockchain_id', 'utxo_id', 'observed_at'],
  sortBy: ['block_time', 'utxo_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'versions',
  notCompared: ['chain_name'],
  lasting: ['tx_id', 'output_index', 'asset_id', 'amount', 'created_on_chain_id', 'block_time'],
  unproven: {
    never: ['present', 'chain_name'],
    partly: ['observation_id', 'observed_at'],
  },
  columns: {
    ...chainColumns,
    utxo_id,
    ...versionColumns,
    ...presentColumn,
    ...others,
    ...chainNameColumn,
  },
})
