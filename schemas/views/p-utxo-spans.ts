import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pOutputs } from '../p-outputs.ts'
import { pStateOutputs } from '../p-state-outputs.ts'

const output = pStateOutputs.columns
const { height, block_time, kind } = pOutputs.columns

export const pUtxoSpans = derivedView({
  name: 'p_utxo_spans',
  comment:
    'One row per UTXO of the P-Chain in the lake, from containers and p_state_outputs, with the time from which it could be spent and the time at which it was spent. Exported outputs exist on other chains and are not here. The effects of a proposal block count from its option block.',
  dependsOn: ['p_outputs', 'p_inputs', 'p_blocks', 'p_transactions', 'p_proposals', 'p_state_outputs'],
  columns: {
    network: viewColumn(output.network),
    utxo_id: viewColumn(output.utxo_id),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    kind: viewColumn(kind, 'transfer, stake, or state for UTXOs that are in no container.'),
    origin: viewColumn(
      output.origin,
      'Origin of a UTXO that is in no container: reward, refund, genesis or unknown; otherwise null.',
    ),
    staked_tx_id: viewColumn(output.staked_tx_id),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    addresses: viewColumn(output.addresses),
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    stakeable_locktime: viewColumn(output.stakeable_locktime),
    staked_height: viewColumn(height, 'For a stake: height from which it is in the staking set; otherwise null.'),
    staked_time: viewColumn(block_time, 'Time of that block (UTC).'),
    height: viewColumn(
      height,
      'Height from which it can be spent; 0 for the genesis; null for a stake that is not released, and where it is missing in the lake.',
    ),
    block_time: viewColumn(block_time, 'Time of that block (UTC); null for the genesis.'),
    by_tx_id: viewColumn(
      output.tx_id,
      'Transaction that made it spendable; for stakes and rewards the transaction that ended the staking.',
    ),
    spent_height: viewColumn(height, 'Height at which it is spent; null while unspent.'),
    spent_time: viewColumn(block_time, 'Time of that block (UTC).'),
    spent_tx_id: viewColumn(output.tx_id, 'Transaction that spends it; null while unspent.'),
  },
})
