import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns, stakeableLocktimeColumn } from './shared/transfer-columns.ts'

export const pOutputs = table({
  name: 'p_outputs',
  comment: 'One row per output of a P-chain transaction: ordinary ones first, then stake, then exported ones.',
  key: ['network', 'height', 'tx_index', 'output_index'],
  sortBy: ['height', 'tx_index', 'output_index'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    output_index: t.int64("The UTXO's index: stake and exported outputs count on after the ordinary ones."),
    utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
    kind: t.text('transfer, stake (unspendable until the staking ends) or export (lives on the destination chain).'),
    asset_id: t.address('Asset.'),
    amount: t.u64('Amount in the least unit of the asset.'),
    ...outputOwnerColumns,
    ...stakeableLocktimeColumn,
  },
})
export type POutput = RowOf<typeof pOutputs>
