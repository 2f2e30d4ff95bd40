import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cAtomicColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const cAtomicOutputs = table({
  name: 'c_atomic_outputs',
  comment:
    'One row per output of an atomic transaction of the C-Chain: an exported UTXO, or a credit of an EVM account.',
  key: ['network', 'blockchain_id', 'block_number', 'tx_index', 'output_index'],
  sortBy: ['block_number', 'tx_index', 'output_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  rowGroup: 'nested',
  columns: {
    ...cAtomicColumns,
    output_index: t.int64('Position among the outputs of the transaction; for an exported UTXO this is its index.'),
    kind: t.text('export (a UTXO on the destination chain) or evm (a credit to an account).'),
    utxo_id: t.cb58('Id of the exported UTXO; null for evm.', nullable),
    evm_address: t.address('Account that receives (0x address); null for export.', nullable),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset; for AVAX nAVAX (1 nAVAX = 1e9 wei).'),
    addresses: t.list(t.address('Address.'), 'Owners, bech32 without chain prefix; null for evm.', nullable),
    threshold: t.int64('Number of signatures needed to spend it; null for evm.', nullable),
    locktime: t.u64('Unix time in seconds before which it cannot be spent; null for evm.', nullable),
  },
})
export type CAtomicOutput = RowOf<typeof cAtomicOutputs>
