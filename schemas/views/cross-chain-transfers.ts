import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pOutputs } from '../p-outputs.ts'
import { amountAvaxColumns } from '../shared/avax-columns.ts'

const output = pOutputs.columns

export const crossChainTransfers = derivedView({
  name: 'cross_chain_transfers',
  comment:
    'One row per UTXO that the P-, X- or C-Chain exported, with its import. An import without its export in the lake has a row, too. Transfers to and from chains of other subnets are messages, not UTXOs: they are not here.',
  dependsOn: [
    'p_outputs',
    'p_transactions',
    'p_block_times',
    'p_inputs',
    'p_credentials',
    'x_outputs',
    'x_transactions',
    'x_inputs',
    'x_credentials',
    'x_blocks',
    'c_atomic_outputs',
    'c_atomic_transactions',
    'c_atomic_inputs',
    'c_blocks',
    'coverage',
    'chains',
  ],
  columns: {
    network: viewColumn(output.network),
    source_chain: {
      type: 'VARCHAR',
      comment: 'Chain that exported the UTXO: P, X or C; null for a chain that is not in chains.',
    },
    destination_chain: { type: 'VARCHAR', comment: 'Chain that it was exported to: P, X or C; null as above.' },
    transfer_status: {
      type: 'VARCHAR',
      comment:
        'imported; pending: the destination chain had not imported it up to the last block in the lake; unknown: the lake has not read the destination chain from its start (p-blocks, x-blocks, c-blocks) to the time of the export, or that time is not known.',
    },
    asset_id: viewColumn(output.asset_id),
    amount: viewColumn(output.amount, 'Amount in the least unit of the asset (AVAX: nAVAX).'),
    ...amountAvaxColumns,
    from_addresses: {
      type: 'VARCHAR[]',
      comment:
        'Addresses that signed the export (P and X: bech32 without chain prefix, C: 0x…); null where the signatures are not in the lake.',
    },
    owner_addresses: viewColumn(
      output.addresses,
      'Owners of the UTXO, who may import it (bech32 without chain prefix); null without the export.',
    ),
    to_addresses: {
      type: 'VARCHAR[]',
      comment: 'Addresses that the importing transaction paid (P and X: bech32 without chain prefix, C: 0x…).',
    },
    export_tx_id: viewColumn(output.tx_id, 'Transaction of the export.'),
    export_output_index: viewColumn(output.output_index, 'Position of the UTXO in that transaction.'),
    export_height: viewColumn(output.height, 'Height of the block with the export; null where it is not known.'),
    export_time: viewColumn(output.block_time, 'Time of that block (UTC); null where it is not known.'),
    import_tx_id: viewColumn(output.tx_id, 'Transaction of the import; null without one.'),
    import_height: viewColumn(output.height, 'Height of the block with the import; null where it is not known.'),
    import_time: viewColumn(output.block_time, 'Time of that block (UTC); null where it is not known.'),
    source_chain_id: { type: 'VARCHAR', comment: 'Id of the chain that exported the UTXO.' },
    destination_chain_id: { type: 'VARCHAR', comment: 'Id of the chain that it was exported to.' },
  },
})
