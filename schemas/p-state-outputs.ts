import { identity, type RowOf, t } from '../src/define/index.ts'
import { pOutputs } from './p-outputs.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns, stakeableLocktimeColumn } from './shared/transfer-columns.ts'
import { utxoPlaceColumns } from './shared/utxo-columns.ts'

const { asset_id, amount } = pOutputs.columns

export const pStateOutputs = table({
  name: 'p_state_outputs',
  comment:
    'One row per UTXO of the P-Chain that is in no container: rewards, refunded balances of L1 validators, genesis. Rows stay after the UTXO is spent.',
  key: ['network', 'utxo_id'],
  sortBy: ['tx_id', 'output_index'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  unproven: {
    partly: ['asset_id', 'amount', 'addresses', 'threshold', 'locktime', 'stakeable_locktime'],
  },
  columns: {
    ...networkColumn,
    ...utxoPlaceColumns,
    origin: t.text('reward, refund, genesis or unknown.').unproven(),
    staked_tx_id: t
      .cb58('Staking transaction that a reward belongs to; null for other origins.', { nullable: true })
      .partlyUnproven(),
    asset_id,
    amount,
    ...outputOwnerColumns,
    ...stakeableLocktimeColumn,
  },
})
export type PStateOutput = RowOf<typeof pStateOutputs>
