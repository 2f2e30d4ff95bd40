import { derivedView, viewColumn } from '../../src/define/index.ts'
import { xOutputs } from '../x-outputs.ts'
import { xStateOutputs } from '../x-state-outputs.ts'

const output = xStateOutputs.columns
const { height, block_time, origin } = xOutputs.columns

export const xUtxoSpans = derivedView({
  name: 'x_utxo_spans',
  comment:
    'One row per UTXO of the X-Chain in the lake, from containers and x_state_outputs, with the block that created it and the block that spent it. Exported outputs exist on other chains and are not here.',
  dependsOn: ['x_outputs', 'x_inputs', 'x_state_outputs'],
  columns: {
    network: viewColumn(output.network),
    blockchain_id: viewColumn(output.blockchain_id),
    utxo_id: viewColumn(output.utxo_id),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    origin: viewColumn(
      origin,
      'base, initial (of a created asset) or operation; for UTXOs that are in no container genesis or unknown.',
    ),
    output_type: viewColumn(output.output_type),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    addresses: viewColumn(output.addresses),
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    group_id: viewColumn(output.group_id),
    payload: viewColumn(output.payload),
    height: viewColumn(
      height,
      'Height from which it can be spent; 0 for the genesis; null in rows of the legacy index.',
    ),
    block_time: viewColumn(
      block_time,
      'Time of that block (UTC); null for the genesis and in rows of the legacy index.',
    ),
    spent_height: viewColumn(
      height,
      'Height at which it is spent; null while unspent, and in rows of the legacy index.',
    ),
    spent_time: viewColumn(block_time, 'Time of that block (UTC).'),
    spent_tx_id: viewColumn(output.tx_id, 'Transaction that spends it; null while unspent.'),
  },
})
