import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { credentialFields, maybeAssetSums, maybeUtxoList } from './shared/rest-utxo-columns.ts'
import { assetAmountFields, chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

const evmInputFields = {
  evm_address: t.address('0x address that pays.'),
  ...assetAmountFields,
  credentials: t.list(t.struct(credentialFields, 'Credential.'), 'Its signatures.', nullable),
}

const evmOutputFields = {
  evm_address: t.address('0x address that receives.'),
  ...assetAmountFields,
}

export const restCAtomicTransactions = table({
  name: 'rest_c_atomic_transactions',
  comment: 'One row per atomic transaction of the C chain that the service lists, with its UTXOs and EVM sides.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['block_number', 'block_time', 'block_hash', 'tx_type', 'source_chain_id', 'destination_chain_id'],
  columns: {
    ...chainColumns,
    block_number: t.int64('Number of the block.'),
    block_time: t.timestamp('Time of the block (UTC).'),
    block_hash: t.hex('Hash of the block.'),
    tx_id: t.cb58('Id of the transaction.'),
    tx_type: t.text('ImportTx or ExportTx; names that are not known pass.'),
    memo: t.blob('Memo: the bytes of a 0x text, else the UTF-8 bytes; null where the service leaves it out.', nullable),
    source_chain_id: t.address('Chain that an import comes from; of an export the C chain.', nullable),
    destination_chain_id: t.address('Chain that an export goes to; of an import the C chain.', nullable),
    amount_unlocked: maybeAssetSums('What it unlocked by asset.'),
    amount_created: maybeAssetSums('What it created by asset.'),
    amounts: maybeAssetSums('Value by asset, where the service states it as on P.'),
    amount_burned: maybeAssetSums('What it burned by asset, where the service states it as on P.'),
    evm_inputs: t.list(t.struct(evmInputFields, 'Input.'), 'What an ExportTx takes of EVM accounts.', nullable),
    evm_outputs: t.list(t.struct(evmOutputFields, 'Output.'), 'What an ImportTx gives to EVM accounts.', nullable),
    consumed_utxos: maybeUtxoList('UTXOs that an ImportTx spends.'),
    emitted_utxos: maybeUtxoList('UTXOs that an ExportTx makes.'),
    ...chainNameColumn,
  },
})
export type RestCAtomicTransaction = RowOf<typeof restCAtomicTransactions>
