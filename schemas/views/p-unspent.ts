import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pOutputs } from '../p-outputs.ts'

const output = pOutputs.columns

export const pUnspent = derivedView({
  name: 'p_unspent',
  comment:
    'One row per output of a container that nothing in the lake spends: ordinary outputs, and stakes after they were released (see stake_ended of p_proposals); never exported ones. Genesis outputs, rewards and refunded balances of L1 validators are in no container and so not here, but in p_utxos; it holds for ranges exported from the first container on.',
  dependsOn: ['p_outputs', 'p_inputs', 'p_proposals'],
  columns: {
    network: viewColumn(output.network),
    height: viewColumn(output.height),
    block_time: viewColumn(output.block_time),
    tx_index: viewColumn(output.tx_index),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    utxo_id: viewColumn(output.utxo_id),
    kind: viewColumn(output.kind, 'transfer, or stake once it was released.'),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    addresses: viewColumn(output.addresses),
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    stakeable_locktime: viewColumn(output.stakeable_locktime),
  },
})
