import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns, stakeableLocktimeColumn } from './shared/transfer-columns.ts'

export const pOutputs = table({
  name: 'p_outputs',
  comment: 'One row per output of a P-Chain transaction: first ordinary outputs, then stake, then exported ones.',
  key: ['network', 'height', 'tx_index', 'output_index'],
  sortBy: ['height', 'tx_index', 'output_index'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    output_index: t.int64('Index of the UTXO; stake and exported outputs are numbered after the ordinary ones.'),
    utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
    kind: t.text(
      'transfer, stake (not spendable until the staking ends) or export (the UTXO exists on the destination chain).',
    ),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).'),
    ...outputOwnerColumns,
    ...stakeableLocktimeColumn,
  },
})
export type POutput = RowOf<typeof pOutputs>
