import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pOutputs } from '../p-outputs.ts'
import { pStateOutputs } from '../p-state-outputs.ts'

const output = pStateOutputs.columns
const { height, block_time, kind } = pOutputs.columns

export const pUtxoSpans = derivedView({
  name: 'p_utxo_spans',
  comment:
    'One row per UTXO of the P chain that the lake knows, of containers and of p_state_outputs, with when it could be spent and when it was; exported outputs live on other chains and are not here. What a proposal block does counts from its option block on.',
  dependsOn: ['p_outputs', 'p_inputs', 'p_blocks', 'p_transactions', 'p_proposals', 'p_state_outputs'],
  columns: {
    network: viewColumn(output.network),
    utxo_id: viewColumn(output.utxo_id),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    kind: viewColumn(kind, 'transfer, stake, or state where no container has it.'),
    origin: viewColumn(output.origin, 'Of what no container has: reward, refund, genesis or unknown; else null.'),
    staked_tx_id: viewColumn(output.staked_tx_id),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    addresses: viewColumn(output.addresses),
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    stakeable_locktime: viewColumn(output.stakeable_locktime),
    staked_height: viewColumn(height, 'Of a stake the height from which it is in the staking set; else null.'),
    staked_time: viewColumn(block_time, 'Time of that block (UTC).'),
    height: viewColumn(
      height,
      'Height from which it is unspent; 0 for the genesis; null for a stake that is not released, and where the lake does not say it.',
    ),
    block_time: viewColumn(block_time, 'Time of that block (UTC); null for the genesis.'),
    by_tx_id: viewColumn(
      output.tx_id,
      'Transaction that made it spendable: of stakes and rewards the one that ended the staking.',
    ),
    spent_height: viewColumn(height, 'Height from which it is spent; null while it is not.'),
    spent_time: viewColumn(block_time, 'Time of that block (UTC).'),
    spent_tx_id: viewColumn(output.tx_id, 'Transaction that spends it; null while none does.'),
  },
})
