import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const nodeRewardUtxos = table({
  name: 'node_reward_utxos',
  comment:
    'One row per transaction with a request for its reward UTXOs (platform.getRewardUTXOs), also when it has none. The UTXOs themselves are in p_state_outputs.',
  key: ['network', 'tx_id'],
  sortBy: ['tx_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  columns: {
    ...networkColumn,
    tx_id: t
      .cb58('The staking transaction; for an auto-renewed validator the RewardAutoRenewedValidatorTx of a period.')
      .partlyUnproven(),
    staked_tx_id: t.cb58('Staking transaction.').partlyUnproven(),
    utxo_ids: t.list(t.cb58('Id.'), 'UTXOs that pay the rewards; empty where no reward was paid.').partlyUnproven(),
    observed_at: t.timestamp('When the request was sent (UTC). The answer is final.').unproven(),
  },
})
export type NodeRewardUtxos = RowOf<typeof nodeRewardUtxos>
