import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const nodeRewardUtxos = table({
  name: 'node_reward_utxos',
  comment:
    'One row per transaction whose reward UTXOs a node was asked for (platform.getRewardUTXOs), also where there are none; what they are stands in p_state_outputs.',
  key: ['network', 'tx_id'],
  sortBy: ['tx_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  columns: {
    ...networkColumn,
    tx_id: t.cb58(
      'The staking transaction; of an auto-renewed validator the RewardAutoRenewedValidatorTx of a period.',
    ),
    staked_tx_id: t.cb58('The staking transaction.'),
    utxo_ids: t.list(t.cb58('Id.'), 'The UTXOs that pay the rewards; empty where none was paid.'),
    observed_at: t.timestamp('When the node was asked (UTC); the answer is final.'),
  },
})
export type NodeRewardUtxos = RowOf<typeof nodeRewardUtxos>
