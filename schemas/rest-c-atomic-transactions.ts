import { below, identity, month, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { credentialFields, maybeAssetSums, maybeUtxoList, movedNames } from './shared/rest-utxo-columns.ts'
import { assetAmountFields, chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

const evmInputFields = {
  evm_address: t.address('EVM account that pays (0x address).').at('fromAddress'),
  ...below('asset', assetAmountFields),
  credentials: t
    .list(t.struct(credentialFields, 'Credential.'), 'Signatures of the input.', nullable)
    .at('credentials'),
}

const evmOutputFields = {
  evm_address: t.address('EVM account that receives (0x address).').at('toAddress'),
  ...below('asset', assetAmountFields),
}

export const restCAtomicTransactions = table({
  name: 'rest_c_atomic_transactions',
  comment:
    'One row per atomic transaction of the C-Chain that the service lists, with its UTXOs and the EVM accounts involved.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['block_number', 'block_time', 'block_hash', 'tx_type', 'source_chain_id', 'destination_chain_id'],
  unproven: {
    never: ['memo', 'evm_inputs', 'evm_outputs', 'chain_name', ...movedNames],
    partly: ['block_number', 'block_time', 'block_hash', 'tx_id', 'tx_type', 'source_chain_id', 'destination_chain_id'],
  },
  columns: {
    ...chainColumns,
    block_number: t.int64('Number of the block.').at('blockHeight|blockNumber'),
    block_time: t.timestamp('Time of the block (UTC).').at('timestamp|blockTimestamp'),
    block_hash: t.hex('Hash of the block.').at('blockHash', 'id'),
    tx_id: t.cb58('Id of the transaction.').at('txHash'),
    tx_type: t.text('ImportTx or ExportTx; unknown names are kept.').at('txType', 'word'),
    memo: t
      .blob(
        'Memo: decoded when the service returns 0x hex, otherwise the UTF-8 bytes; null where the service leaves it out.',
        nullable,
      )
      .at('memo', 'memo'),
    source_chain_id: t
      .address('Id of the source chain; for an ExportTx the C-Chain.', nullable)
      .at('sourceChain', 'chainId'),
    destination_chain_id: t
      .address('Id of the destination chain; for an ImportTx the C-Chain.', nullable)
      .at('destinationChain', 'chainId'),
    amount_unlocked: maybeAssetSums('Amounts unlocked, by asset.').at('amountUnlocked'),
    amount_created: maybeAssetSums('Amounts created, by asset.').at('amountCreated'),
    amounts: maybeAssetSums('Value of the transaction by asset; null where the service leaves it out.').at('value'),
    amount_burned: maybeAssetSums('Amounts burned, by asset; null where the service leaves them out.').at(
      'amountBurned',
    ),
    evm_inputs: t
      .list(t.struct(evmInputFields, 'Input.'), 'Debits of EVM accounts by an ExportTx.', nullable)
      .at('evmInputs'),
    evm_outputs: t
      .list(t.struct(evmOutputFields, 'Output.'), 'Credits of EVM accounts by an ImportTx.', nullable)
      .at('evmOutputs'),
    consumed_utxos: maybeUtxoList('UTXOs that an ImportTx spends.').at('consumedUtxos'),
    emitted_utxos: maybeUtxoList('UTXOs that an ExportTx creates.').at('emittedUtxos'),
    ...chainNameColumn,
  },
})
export type RestCAtomicTransaction = RowOf<typeof restCAtomicTransactions>
