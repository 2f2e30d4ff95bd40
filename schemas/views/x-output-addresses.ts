import { derivedView, viewColumn } from '../../src/define/index.ts'
import { xOutputs } from '../x-outputs.ts'
import { pOutputAddresses } from './p-output-addresses.ts'

const output = xOutputs.columns
const { address, address_index, address_count } = pOutputAddresses.columns

export const xOutputAddresses = derivedView({
  name: 'x_output_addresses',
  comment:
    'One row per output of the X-Chain and address that owns it. Each of these rows repeats the amount of the output: filter by one address before you sum.',
  dependsOn: ['x_outputs'],
  columns: {
    network: viewColumn(output.network),
    blockchain_id: viewColumn(output.blockchain_id),
    height: viewColumn(output.height),
    block_time: viewColumn(output.block_time),
    tx_index: viewColumn(output.tx_index),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    utxo_id: viewColumn(output.utxo_id),
    kind: viewColumn(output.kind),
    output_type: viewColumn(output.output_type),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    address,
    address_index,
    address_count,
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
  },
})
