import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { maybeAssetSums, utxoList } from './shared/rest-utxo-columns.ts'
import { chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

const createdAssetFields = {
  asset_id: t.address('Id of the asset.'),
  name: t.text('Name of the asset; null where the service leaves it out.', nullable),
  symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable),
  denomination: t.int64('Decimal places of the asset; null where the service leaves it out.', nullable),
  type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable),
  created_time: t.timestamp('When it was created (UTC); null where the service leaves it out.', nullable),
  cap: t.text('fixed or variable; null where the service leaves it out.', nullable),
}

const vertexFields = {
  vertex_hash: t.cb58('Id of the vertex.'),
  height: t.int64('Its height.', nullable),
  block_time: t.timestamp('Its time (UTC).', nullable),
}

export const restXTransactions = table({
  name: 'rest_x_transactions',
  comment: 'One row per X-chain transaction of the service, with the UTXOs that it spends and makes.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['block_time', 'tx_id'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['height', 'block_time', 'block_id', 'tx_type', 'source_chain_id', 'destination_chain_id'],
  columns: {
    ...chainColumns,
    height: t.int64('Height of the block; null before the chain was linear.', nullable),
    block_time: t.timestamp('Time of the transaction (UTC).'),
    block_id: t.cb58('Id of the block; null before the chain was linear.', nullable),
    tx_id: t.cb58('Id of the transaction.'),
    tx_type: t.text('BaseTx, CreateAssetTx, OperationTx, ImportTx or ExportTx; names that are not known pass.'),
    chain_format: t.text('linear, or non-linear: accepted in vertices.', nullable),
    memo: t.blob('Memo: the bytes of a 0x text, else the UTF-8 bytes; null where the service leaves it out.', nullable),
    source_chain_id: t.address('Chain that the transaction comes from, as the service states it.', nullable),
    destination_chain_id: t.address('Chain that it goes to, as the service states it.', nullable),
    amount_unlocked: maybeAssetSums('What it unlocked by asset.'),
    amount_created: maybeAssetSums('What it created by asset.'),
    amounts: maybeAssetSums('Value by asset, where the service states it as on P.'),
    amount_burned: maybeAssetSums('What it burned by asset, where the service states it as on P.'),
    asset_created: t.struct(createdAssetFields, 'The asset that a CreateAssetTx creates.', nullable),
    vertices: t.list(
      t.struct(vertexFields, 'Vertex.'),
      'Vertices that hold it, before the chain was linear.',
      nullable,
    ),
    consumed_utxos: utxoList('UTXOs that it spends.'),
    emitted_utxos: utxoList('UTXOs that it makes.'),
    ...chainNameColumn,
  },
})
export type RestXTransaction = RowOf<typeof restXTransactions>
