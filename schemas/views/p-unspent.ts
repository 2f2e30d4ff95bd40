import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pOutputs } from '../p-outputs.ts'
import { amountAvaxColumns } from '../shared/avax-columns.ts'

const output = pOutputs.columns

export const pUnspent = derivedView({
  name: 'p_unspent',
  comment:
    'One row per P-Chain output from a container that nothing in the lake spends: ordinary outputs, and stakes after their release (see stake_ended of p_proposals), but no exported ones. Genesis outputs, rewards and refunded balances of L1 validators are in no container and not here; see p_utxos. Correct only if the lake covers the chain from its first container.',
  dependsOn: ['p_outputs', 'p_inputs', 'p_proposals', 'chains'],
  columns: {
    network: viewColumn(output.network),
    height: viewColumn(output.height),
    block_time: viewColumn(output.block_time),
    tx_index: viewColumn(output.tx_index),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    utxo_id: viewColumn(output.utxo_id),
    kind: viewColumn(output.kind, 'transfer, or stake after its release.'),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    ...amountAvaxColumns,
    addresses: viewColumn(output.addresses),
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    stakeable_locktime: viewColumn(output.stakeable_locktime),
  },
})
