import { below, identity, month, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { credentialFields, maybeUtxoList, memo, transactionSums } from './shared/rest-utxo-columns.ts'
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
  unproven: {
    never: ['chain_name'],
  },
  columns: {
    ...chainColumns,
    block_number: t.int64('Number of the block.').at('blockHeight|blockNumber').lasting().partlyUnproven(),
    block_time: t.timestamp('Time of the block (UTC).').at('timestamp|blockTimestamp').lasting().partlyUnproven(),
    block_hash: t.hex('Hash of the block.').at('blockHash', 'id').lasting().partlyUnproven(),
    tx_id: t.cb58('Id of the transaction.').at('txHash').partlyUnproven(),
    tx_type: t.text('ImportTx or ExportTx; unknown names are kept.').at('txType', 'word').lasting().partlyUnproven(),
    memo: memo.unproven(),
    source_chain_id: t
      .address('Id of the source chain; for an ExportTx the C-Chain.', nullable)
      .at('sourceChain', 'chainId')
      .lasting()
      .partlyUnproven(),
    destination_chain_id: t
      .address('Id of the destination chain; for an ImportTx the C-Chain.', nullable)
      .at('destinationChain', 'chainId')
      .lasting()
      .partlyUnproven(),
    ...transactionSums,
    evm_inputs: t
      .list(t.struct(evmInputFields, 'Input.'), 'Debits of EVM accounts by an ExportTx.', nullable)
      .at('evmInputs')
      .unproven(),
    evm_outputs: t
      .list(t.struct(evmOutputFields, 'Output.'), 'Credits of EVM accounts by an ImportTx.', nullable)
      .at('evmOutputs')
      .unproven(),
    consumed_utxos: maybeUtxoList('UTXOs that an ImportTx spends.').at('consumedUtxos').unproven(),
    emitted_utxos: maybeUtxoList('UTXOs that an ExportTx creates.').at('emittedUtxos').unproven(),
    ...chainNameColumn,
  },
})
