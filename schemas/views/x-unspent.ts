import { derivedView, viewColumn } from '../../src/define/index.ts'
import { amountAvaxColumns } from '../shared/avax-columns.ts'
import { xOutputs } from '../x-outputs.ts'

const output = xOutputs.columns

export const xUnspent = derivedView({
  name: 'x_unspent',
  comment:
    'One row per output of an X-Chain transaction that nothing in the lake spends, including outputs that only operations can spend, but no exported ones. Genesis outputs are in no container and not here; see x_utxos. Correct only if the lake covers the chain from its first container, and the legacy index X/tx where the network has one.',
  dependsOn: ['x_outputs', 'x_inputs', 'chains'],
  columns: {
    network: viewColumn(output.network),
    blockchain_id: viewColumn(output.blockchain_id),
    height: viewColumn(output.height),
    block_time: viewColumn(output.block_time),
    tx_index: viewColumn(output.tx_index),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    utxo_id: viewColumn(output.utxo_id),
    origin: viewColumn(output.origin, 'base, initial (of a created asset) or operation.'),
    output_type: viewColumn(output.output_type),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    ...amountAvaxColumns,
    addresses: viewColumn(output.addresses),
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    group_id: viewColumn(output.group_id),
    payload: viewColumn(output.payload),
  },
})
