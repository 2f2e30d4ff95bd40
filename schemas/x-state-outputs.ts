import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns } from './shared/transfer-columns.ts'
import { nftColumns, nftNames, utxoPlaceColumns, xUtxoColumns, xUtxoNames } from './shared/utxo-columns.ts'

export const xStateOutputs = table({
  name: 'x_state_outputs',
  comment: 'One row per UTXO of the X-Chain that is in no container: genesis. Rows stay after the UTXO is spent.',
  key: ['network', 'blockchain_id', 'utxo_id'],
  sortBy: ['tx_id', 'output_index'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  rowGroup: 'nested',
  unproven: {
    partly: [...xUtxoNames, ...nftNames],
  },
  columns: {
    ...chainColumns,
    ...utxoPlaceColumns,
    origin: t.text('genesis or unknown.').unproven(),
    ...xUtxoColumns,
    ...outputOwnerColumns,
    ...nftColumns,
  },
})
export type XStateOutput = RowOf<typeof xStateOutputs>
