import { identity, month, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { memo, transactionSums, utxoList } from './shared/rest-utxo-columns.ts'
import { chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

const createdAssetFields = {
  asset_id: t.address('Id of the asset.').at('assetId', 'id'),
  name: t.text('Name of the asset; null where the service leaves it out.', nullable).at('name'),
  symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable).at('symbol'),
  denomination: t
    .int64('Decimal places of the asset; null where the service leaves it out.', nullable)
    .at('denomination', 'u8'),
  type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable).at('type', 'word'),
  created_time: t
    .timestamp('When the asset was created (UTC); null where the service leaves it out.', nullable)
    .at('createdAtTimestamp'),
  cap: t.text('fixed or variable; null where the service leaves it out.', nullable).at('cap', 'word'),
}

const vertexFields = {
  vertex_hash: t.cb58('Id of the vertex.').at('hash'),
  height: t.int64('Height of the vertex.', nullable).at('height'),
  block_time: t.timestamp('Time of the vertex (UTC).', nullable).at('timestamp'),
}

export const restXTransactions = table({
  name: 'rest_x_transactions',
  comment: 'One row per X-Chain transaction that the service lists, with the UTXOs that it spends and creates.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  unproven: {
    never: ['chain_name'],
  },
  columns: {
    ...chainColumns,
    height: t
      .int64('Height of the block; null before Cortina.', nullable)
      .at('blockHeight|blockNumber')
      .lasting()
      .partlyUnproven(),
    block_time: t.timestamp('Time of the transaction (UTC).').at('timestamp|blockTimestamp').lasting().partlyUnproven(),
    block_id: t.cb58('Id of the block; null before Cortina.', nullable).at('blockHash').lasting().partlyUnproven(),
    tx_id: t.cb58('Id of the transaction.').at('txHash').partlyUnproven(),
    tx_type: t
      .text('BaseTx, CreateAssetTx, OperationTx, ImportTx or ExportTx; unknown names are kept.')
      .at('txType', 'word')
      .lasting()
      .partlyUnproven(),
    chain_format: t
      .text('linear, or non-linear (accepted in a vertex, before Cortina).', nullable)
      .at('chainFormat', 'word')
      .lasting()
      .unproven(),
    memo: memo.partlyUnproven(),
    source_chain_id: t
      .address('Id of the source chain, as the service returns it.', nullable)
      .at('sourceChain', 'chainId')
      .lasting()
      .unproven(),
    destination_chain_id: t
      .address('Id of the destination chain, as the service returns it.', nullable)
      .at('destinationChain', 'chainId')
      .lasting()
      .unproven(),
    ...transactionSums,
    asset_created: t
      .struct(createdAssetFields, 'The asset that a CreateAssetTx creates.', nullable)
      .at('assetCreated')
      .unproven(),
    vertices: t
      .list(t.struct(vertexFields, 'Vertex.'), 'Vertices that contain the transaction, before Cortina.', nullable)
      .at('vertices')
      .unproven(),
    consumed_utxos: utxoList('UTXOs that the transaction spends.').at('consumedUtxos').unproven(),
    emitted_utxos: utxoList('UTXOs that the transaction creates.').at('emittedUtxos').unproven(),
    ...chainNameColumn,
  },
})
