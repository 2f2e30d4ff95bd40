import { identity, month, nullable, t } from '../src/define/index.ts'
import {
  chainColumns,
  credentialColumns,
  nftColumns,
  outputOwnerColumns,
  signatureIndicesColumn,
  spentColumns,
  utxoPlaceColumns,
  wrapperColumns,
  xTransactionColumns,
  xUtxoColumns,
} from './shared/block-columns.ts'
import { partlyUnproven, table } from './shared/table.ts'

/** Key and partition of a table of X-Chain transactions; `position` are the columns that distinguish rows of a transaction. */
function ofXTransactions<const P extends readonly string[]>(...position: P) {
  return {
    key: ['network', 'blockchain_id', 'tx_id', ...position],
    sortBy: ['height', 'tx_index', ...position],
    partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  } as const
}

export const xBlocks = table({
  name: 'x_blocks',
  comment: 'One row per accepted block of the X-Chain, or of another chain with the same virtual machine.',
  key: ['network', 'blockchain_id', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  columns: {
    ...chainColumns,
    height: t.int64('Height of the block. The genesis block has height 0 and is in no index.'),
    block_id: t.cb58('Id of the inner block (without the proposervm wrapper): sha256 of its bytes.'),
    parent_id: t.cb58('Id of the inner parent block.'),
    block_time: t.timestamp('Time of the block (UTC).', nullable),
    merkle_root: t.cb58('Merkle root of the block; all zero today.'),
    tx_count: t.int64('Number of transactions in the block.'),
    ...wrapperColumns,
  },
})

export const xTransactions = table({
  name: 'x_transactions',
  comment: 'One row per transaction of the X-Chain, from its blocks or from the legacy transaction index (X/tx).',
  ...ofXTransactions(),
  columns: {
    ...xTransactionColumns,
    block_id: t.cb58('Id of the inner block; null in rows of the legacy index.', nullable),
    tx_type: t.text('BaseTx, CreateAssetTx, OperationTx, ImportTx or ExportTx.'),
    memo: t.blob('Memo.'),
    source_chain_id: t.address('Id of the chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Id of the chain that an ExportTx exports to.', nullable),
    burned: t.decimal38(
      'Native asset burned (X-Chain: AVAX, in nAVAX): inputs minus outputs of every kind, without amounts that operations mint; null when the native asset of the network is unknown.',
      nullable,
    ),
    input_count: t.int64('Number of inputs, including imported ones and those of operations.'),
    output_count: t.int64('Number of UTXOs created, including those of operations, initial states and exports.'),
    operation_count: t.int64('Number of operations.'),
    signature_count: t.int64('Number of signatures in all credentials.'),
    timestamp_source: t.text('block, or accepted (legacy index: there is no block time, only accepted_at).'),
    accepted_at: t.timestamp(
      'When the indexing node accepted the container (UTC). This is not the block time. Null when the block was read by RPC.',
      nullable,
    ),
    container_index: t.int64(
      'Position in the index of the node: of the block, or in the legacy index of the transaction. Null when the block was read by RPC.',
      nullable,
    ),
  },
})

export const xInputs = table({
  name: 'x_inputs',
  comment:
    'One row per UTXO that an X-Chain transaction spends: first ordinary inputs, then imported ones, then those of operations.',
  ...ofXTransactions('input_index'),
  columns: {
    ...xTransactionColumns,
    input_index: t.int64('Position among all UTXOs that the transaction spends.'),
    kind: t.text('transfer, import or operation.'),
    operation_index: t.int64('Index of the operation that spends it; null for ordinary and imported inputs.', nullable),
    ...spentColumns,
    amount: t.u64(
      'Amount in the least unit of the asset (AVAX: nAVAX); null for inputs of operations, which contain none.',
      nullable,
    ),
    ...signatureIndicesColumn,
  },
})

export const xOutputs = table({
  name: 'x_outputs',
  comment: 'One row per output (UTXO) of an X-Chain transaction.',
  ...ofXTransactions('output_index'),
  columns: {
    ...xTransactionColumns,
    output_index: t.int64(
      'Index of the UTXO; initial, operation and exported outputs are numbered after the ordinary ones.',
    ),
    utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
    kind: t.text('transfer, or export (the UTXO exists on the destination chain).'),
    origin: t.text('base, initial (of a created asset), operation or export.'),
    operation_index: t.int64('Index of the operation that creates it; null for other origins.', nullable),
    output_type: xUtxoColumns.output_type,
    fx_id: t.address('Id of the feature extension that defines the output type.', nullable),
    fx_index: t.int64(
      'Index of the feature extension in the list of the chain, as in the initial state; null for other origins.',
      nullable,
    ),
    asset_id: xUtxoColumns.asset_id,
    amount: xUtxoColumns.amount,
    ...outputOwnerColumns,
    ...nftColumns,
  },
})

export const xAssets = table({
  name: 'x_assets',
  comment:
    'One row per asset that an X-Chain transaction creates. Assets of the genesis are in no container and not here.',
  key: ['network', 'blockchain_id', 'asset_id'],
  sortBy: ['asset_id'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  columns: {
    ...chainColumns,
    asset_id: t.cb58('Id of the asset: the id of the transaction that creates it.'),
    name: t.text('Name.'),
    symbol: t.text('Symbol.'),
    denomination: t.int64('Decimal places.'),
    has_mint_output: t.boolean('Whether more can be minted: the asset has an initial mint output of any kind.'),
    initial_supply: t.decimal38('Sum of the initial transfer outputs, in the least unit of the asset.'),
    block_time: t.timestamp('Time of the block (UTC); null in rows of the legacy index.', nullable),
  },
})

export const xOperations = table({
  name: 'x_operations',
  comment: 'One row per operation of an OperationTx of the X-Chain.',
  ...ofXTransactions('operation_index'),
  columns: {
    ...xTransactionColumns,
    operation_index: t.int64('Position of the operation in the transaction.'),
    operation_type: t.text('mint, nft_mint, nft_transfer, property_mint or property_burn.'),
    fx_id: t.address('Id of the feature extension that defines the operation type.', nullable),
    asset_id: t.address('Asset of the operation.'),
  },
})

export const xCredentials = table({
  name: 'x_credentials',
  comment:
    'One row per signature of an X-Chain transaction. Written with --credentials; --signers also recovers the signers.',
  ...ofXTransactions('credential_index', 'signature_index'),
  columns: { ...xTransactionColumns, ...credentialColumns },
})

export const xVertices = table({
  name: 'x_vertices',
  comment:
    'One row per vertex of the X-Chain from before Cortina, when it became linear (legacy index X/vtx; the order is that of the node).',
  key: ['network', 'blockchain_id', 'vertex_id'],
  sortBy: ['container_index'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  columns: {
    ...chainColumns,
    vertex_id: t.cb58('Id of the vertex: sha256 of its bytes.'),
    height: t.int64('Height in the graph; several vertices can have the same height.'),
    parent_ids: t.list(t.cb58('Id.'), 'Ids of the parent vertices.'),
    tx_ids: t.list(t.cb58('Id.'), 'Transactions of the vertex; empty for the stop vertex.'),
    vertex_type: t.text('Vertex, or StopVertex: the last one, after which the chain is linear.'),
    accepted_at: t.timestamp(
      'When the indexing node accepted the vertex (UTC). This is not a time of the chain.',
      nullable,
    ),
    accepted_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable),
    container_index: t.int64('Position in the index of the node.'),
    byte_length: t.int64('Length of the vertex in bytes.'),
  },
})

export const xStateOutputs = table({
  name: 'x_state_outputs',
  comment: 'One row per UTXO of the X-Chain that is in no container: genesis. Rows stay after the UTXO is spent.',
  key: ['network', 'blockchain_id', 'utxo_id'],
  sortBy: ['tx_id', 'output_index'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  columns: {
    ...chainColumns,
    blockchain_id: chainColumns.blockchain_id.partlyUnproven(),
    ...utxoPlaceColumns,
    origin: t.text('genesis or unknown.').unproven(),
    ...partlyUnproven({ ...xUtxoColumns, ...outputOwnerColumns, ...nftColumns }),
  },
})
