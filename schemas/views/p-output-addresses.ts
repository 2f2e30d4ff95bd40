import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pOutputs } from '../p-outputs.ts'

const output = pOutputs.columns

export const pOutputAddresses = derivedView({
  name: 'p_output_addresses',
  comment:
    'One row per output of the P-Chain and address that owns it. Each of these rows repeats the amount of the output: filter by one address before you sum.',
  dependsOn: ['p_outputs'],
  columns: {
    network: viewColumn(output.network),
    height: viewColumn(output.height),
    block_time: viewColumn(output.block_time),
    tx_index: viewColumn(output.tx_index),
    tx_id: viewColumn(output.tx_id),
    output_index: viewColumn(output.output_index),
    utxo_id: viewColumn(output.utxo_id),
    kind: viewColumn(output.kind),
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount),
    address: { type: 'VARCHAR', comment: 'One of the owners, bech32 without chain prefix.' },
    address_index: { type: 'BIGINT', comment: 'Position of the address among the owners, from 0.' },
    address_count: { type: 'BIGINT', comment: 'Number of addresses that own the output.' },
    threshold: viewColumn(output.threshold),
    locktime: viewColumn(output.locktime),
    stakeable_locktime: viewColumn(output.stakeable_locktime),
  },
})
