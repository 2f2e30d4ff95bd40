import { plainContainerId } from '../../../codec/containers.ts'
import { fxIdOfType } from '../../../codec/fxs.ts'
import { sha256 } from '../../../codec/hash.ts'
import { idText, txIdInBlock, utxoId } from '../../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../../codec/linear.ts'
import {
  type UnsignedXTx,
  type XInputValue,
  type XOperation,
  type XState,
  type XTx,
  xCodec,
  xVertex,
} from '../../../codec/x.ts'
import {
  type xAssets,
  xBlocks,
  type xInputs,
  type xOperations,
  type xOutputs,
  type xTransactions,
  type xVertices,
} from '../../../schemas/x-chain.ts'
import type { RowOf } from '../../define/index.ts'
import type { ChainContext, Container } from '../../model.ts'
import {
  acceptedColumns,
  type BlockRecord,
  blankRow,
  checkId,
  decoding,
  mustBeOfChain,
  mustBeOfNetwork,
  mustHaveHeight,
  nativeLeft,
  openBlock,
  setWrapper,
  signatureCount,
} from '../containers.ts'
import { addressTexts, boundedNumber, timeOf } from '../values.ts'

type XBlock = RowOf<typeof xBlocks>
type XInput = RowOf<typeof xInputs>
type XOutput = RowOf<typeof xOutputs>
type XTransaction = RowOf<typeof xTransactions>
type XRows = { blocks: XBlock[] } & XTransactionRows

const noBlock = blankRow(xBlocks)

/**
 * Returns the rows of a container of X/block, or of the block index of another chain of the asset VM, or of a block from
 * xvm.getBlockByHeight: columns that only a wrapper or the index knows are null then. Throws `DecodeError` (facts: container, index, path,
 * offset) if the id derived from the bytes differs, or if the bytes are not an X-Chain block to the last byte.
 */
export function decodeXContainer(record: BlockRecord, context: ChainContext): XRows {
  return decoding(record, () => rowsOf(record, context))
}

function rowsOf(record: BlockRecord, context: ChainContext): XRows {
  const { bytes, opened } = openBlock(record)
  const { value: block, spans } = decodeWithSpans(xCodec(context.fxs).block, bytes, 'block')
  const { network, blockchainId } = context
  const height = boundedNumber(block.height, 'block.height')
  mustHaveHeight(record, height)
  const blockRow: XBlock = {
    ...noBlock,
    network,
    blockchain_id: blockchainId,
    height,
    block_id: idText(sha256(bytes)),
    parent_id: idText(block.parentID),
    block_time: timeOf(block.time),
    merkle_root: idText(block.merkleRoot),
    tx_count: block.txs.length,
  }
  setWrapper(blockRow, record, opened)
  const rows: XRows = { blocks: [blockRow], transactions: [], inputs: [], outputs: [], assets: [], operations: [] }
  for (let i = 0; i < block.txs.length; i++) {
    const tx = block.txs[i]!
    const txId = txIdInBlock(bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!))
    mustBeOfNetwork(tx.unsignedTx, record, context, () => idText(txId))
    const source = {
      context,
      place: {
        network,
        blockchain_id: blockchainId,
        height,
        block_time: blockRow.block_time,
        tx_index: i,
        tx_id: idText(txId),
      },
      txId,
      blockId: blockRow.block_id,
      timestampSource: 'block',
      acceptedAt: blockRow.accepted_at,
      containerIndex: blockRow.container_index,
    } as const
    addTransaction(tx, source, rows)
  }
  return rows
}

/**
 * Returns the rows of a container of X/tx, the index from before the X-Chain became linear: a signed transaction without a known block.
 * Throws `DecodeError` (facts: container, index, path, offset) if the id derived from the bytes differs, or if the bytes are not an X-Chain
 * transaction to the last byte.
 */
export function decodeXTransaction(container: Container, context: ChainContext): XTransactionRows {
  return decoding(container, () => {
    const txId = sha256(container.bytes)
    checkId(container, idText(txId))
    const tx = decodeExactly(xCodec(context.fxs).signedTx, container.bytes, 'transaction')
    mustBeOfNetwork(tx.unsignedTx, container, context, () => container.id)
    const rows: XTransactionRows = { transactions: [], inputs: [], outputs: [], assets: [], operations: [] }
    addTransaction(
      tx,
      {
        context,
        place: {
          network: context.network,
          blockchain_id: context.blockchainId,
          height: null,
          block_time: null,
          tx_index: null,
          tx_id: container.id,
        },
        txId,
        blockId: null,
        timestampSource: 'accepted',
        acceptedAt: container.acceptedAtNs / 1000n,
        containerIndex: container.index,
      },
      rows,
    )
    return rows
  })
}

/**
 * Returns the row of a container of X/vtx, the index of the X-Chain's vertices from before it became linear. Throws `DecodeError` (facts:
 * container, index, path, offset) if the id derived from the bytes differs, or if the bytes are not a vertex to the last byte.
 */
export function decodeXVertex(container: Container, context: ChainContext): { vertices: RowOf<typeof xVertices>[] } {
  return decoding(container, () => {
    checkId(container, plainContainerId(container.bytes))
    const vertex = decodeExactly(xVertex, container.bytes, 'vertex')
    mustBeOfChain(vertex.chainID, container, context)
    return {
      vertices: [
        {
          network: context.network,
          blockchain_id: context.blockchainId,
          vertex_id: container.id,
          height: boundedNumber(vertex.height, 'vertex.height'),
          parent_ids: vertex.parentIDs.map(idText),
          tx_ids: vertex.type === 'Vertex' ? vertex.txs.map(plainContainerId) : [],
          vertex_type: vertex.type,
          ...acceptedColumns(container),
          container_index: container.index,
          byte_length: container.bytes.length,
        },
      ],
    }
  })
}

function addTransaction(tx: XTx, source: XSource, rows: XTransactionRows): void {
  const { unsignedTx } = tx
  const firstInput = rows.inputs.length
  const firstOutput = rows.outputs.length
  addInputs(unsignedTx, source, rows.inputs)
  addOutputs(unsignedTx, source, rows.outputs)
  const { context, place } = source
  rows.transactions.push({
    network: place.network,
    blockchain_id: place.blockchain_id,
    height: place.height,
    block_time: place.block_time,
    tx_index: place.tx_index,
    tx_id: place.tx_id,
    block_id: source.blockId,
    tx_type: unsignedTx.type,
    memo: unsignedTx.memo,
    source_chain_id: unsignedTx.type === 'ImportTx' ? idText(unsignedTx.sourceChain) : null,
    destination_chain_id: unsignedTx.type === 'ExportTx' ? idText(unsignedTx.destinationChain) : null,
    burned: burned(unsignedTx, context.nativeAssetId, rows, firstInput, firstOutput),
    input_count: rows.inputs.length - firstInput,
    output_count: rows.outputs.length - firstOutput,
    operation_count: unsignedTx.type === 'OperationTx' ? unsignedTx.operations.length : 0,
    signature_count: signatureCount(tx.credentials),
    timestamp_source: source.timestampSource,
    accepted_at: source.acceptedAt,
    container_index: source.containerIndex,
  })
  if (unsignedTx.type === 'CreateAssetTx') rows.assets.push(assetRow(unsignedTx, source))
  if (unsignedTx.type === 'OperationTx') addOperations(unsignedTx, source, rows)
}

/**
 * Returns the nAVAX that a transaction burns. Operations state what they mint but not what they consume, so the sum leaves out their
 * outputs, which are last.
 */
function burned(
  tx: UnsignedXTx,
  nativeAssetId: string | null,
  { inputs, outputs }: XTransactionRows,
  firstInput: number,
  firstOutput: number,
): bigint | null {
  const given = tx.type === 'OperationTx' ? outputs.slice(0, firstOutput + tx.outputs.length) : outputs
  return nativeLeft(inputs, firstInput, given, firstOutput, nativeAssetId)
}

type Tx<T extends UnsignedXTx['type']> = Extract<UnsignedXTx, { readonly type: T }>

function assetRow(tx: Tx<'CreateAssetTx'>, { place }: XSource): RowOf<typeof xAssets> {
  const states = tx.initialStates.flatMap(({ outputs }) => outputs)
  return {
    network: place.network,
    blockchain_id: place.blockchain_id,
    asset_id: place.tx_id,
    name: tx.name,
    symbol: tx.symbol,
    denomination: tx.denomination,
    has_mint_output: states.some(({ type }) => type.endsWith('.MintOutput')),
    initial_supply: states.reduce((sum, state) => ('amount' in state ? sum + state.amount : sum), 0n),
    block_time: place.block_time,
  }
}

function addOperations(tx: Tx<'OperationTx'>, { place }: XSource, rows: XTransactionRows): void {
  tx.operations.forEach(({ assetID, operation }, i) => {
    rows.operations.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      operation_index: i,
      operation_type: operationTypes[operation.type],
      fx_id: operationFxIds[operation.type],
      asset_id: idText(assetID),
    })
  })
}

/** The first columns of every row of an X-Chain transaction. The block is unknown in a legacy index. */
type XPlace = Pick<XTransaction, 'network' | 'blockchain_id' | 'height' | 'block_time' | 'tx_index' | 'tx_id'>

/** A transaction and what its rows need. */
type XSource = {
  readonly context: ChainContext
  readonly place: XPlace
  /** The 32 bytes of `place.tx_id`. */
  readonly txId: Uint8Array
  /** Null in a legacy index. */
  readonly blockId: string | null
  readonly timestampSource: 'block' | 'accepted'
  /** Time at which the node accepted the container of the transaction, in microseconds; null without a container. */
  readonly acceptedAt: bigint | null
  readonly containerIndex: XTransaction['container_index']
}

type XTransactionRows = {
  transactions: XTransaction[]
  inputs: XInput[]
  outputs: XOutput[]
  assets: RowOf<typeof xAssets>[]
  operations: RowOf<typeof xOperations>[]
}

/** Values of the column `output_type`. */
export const outputTypes = {
  'secp256k1fx.TransferOutput': 'transfer',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.MintOutput': 'nft_mint',
  'nftfx.TransferOutput': 'nft_transfer',
  'propertyfx.MintOutput': 'property_mint',
  'propertyfx.OwnedOutput': 'property_owned',
} as const satisfies Record<XState['type'], string>

/** Values of the column `fx_id` by the type of the output or operation. */
function fxIdsOf<T extends string>(types: Readonly<Record<T, string>>): Readonly<Record<T, string>> {
  return Object.fromEntries(Object.keys(types).map((type) => [type, fxIdOfType(type)])) as Record<T, string>
}

const outputFxIds = fxIdsOf(outputTypes)

/** Adds a row for each UTXO that a transaction produces, in the order of their indices (wire-format.md 1.6). */
function addOutputs(tx: UnsignedXTx, { place, txId, context }: XSource, rows: XOutput[]): void {
  const first = rows.length
  const add = (
    origin: string,
    operation: number | null,
    assetId: string,
    state: XState,
    fxIndex: number | null = null,
  ): void => {
    const index = rows.length - first
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      output_index: index,
      utxo_id: idText(utxoId(txId, index)),
      kind: origin === 'export' ? 'export' : 'transfer',
      origin,
      operation_index: operation,
      output_type: outputTypes[state.type],
      fx_id: outputFxIds[state.type],
      fx_index: fxIndex,
      asset_id: assetId,
      amount: 'amount' in state ? state.amount : null,
      addresses: addressTexts(context.hrp, state.addresses),
      threshold: state.threshold,
      locktime: state.locktime,
      group_id: 'groupID' in state ? state.groupID : null,
      payload: 'payload' in state ? state.payload : null,
    })
  }
  for (const { assetID, output } of tx.outputs) add('base', null, idText(assetID), output)
  switch (tx.type) {
    case 'CreateAssetTx':
      for (const { fxIndex, outputs } of tx.initialStates)
        for (const state of outputs) add('initial', null, place.tx_id, state, fxIndex)
      return
    case 'OperationTx':
      tx.operations.forEach(({ assetID, operation }, i) => {
        for (const state of producedBy(operation)) add('operation', i, idText(assetID), state)
      })
      return
    case 'ExportTx':
      for (const { assetID, output } of tx.exportedOutputs) add('export', null, idText(assetID), output)
      return
  }
}

/** Adds a row for each UTXO that a transaction consumes: ordinary inputs, imported inputs, and inputs of operations. */
function addInputs(tx: UnsignedXTx, { place }: XSource, rows: XInput[]): void {
  const first = rows.length
  const add = (
    kind: string,
    operation: number | null,
    utxo: Pick<XInputValue, 'txID' | 'outputIndex' | 'assetID'>,
    amount: bigint | null,
    signers: readonly number[],
  ): void => {
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      input_index: rows.length - first,
      kind,
      operation_index: operation,
      source_tx_id: idText(utxo.txID),
      source_output_index: utxo.outputIndex,
      asset_id: idText(utxo.assetID),
      amount,
      signature_indices: signers as number[],
    })
  }
  for (const utxo of tx.inputs) add('transfer', null, utxo, utxo.input.amount, utxo.input.signatureIndices)
  if (tx.type === 'ImportTx')
    for (const utxo of tx.importedInputs) add('import', null, utxo, utxo.input.amount, utxo.input.signatureIndices)
  if (tx.type !== 'OperationTx') return
  for (const [i, { assetID, inputIDs, operation }] of tx.operations.entries())
    for (const utxo of inputIDs) add('operation', i, { ...utxo, assetID }, null, signersOf(operation))
}

/** Values of the column `operation_type`. */
const operationTypes = {
  'secp256k1fx.MintOperation': 'mint',
  'nftfx.MintOperation': 'nft_mint',
  'nftfx.TransferOperation': 'nft_transfer',
  'propertyfx.MintOperation': 'property_mint',
  'propertyfx.BurnOperation': 'property_burn',
} as const satisfies Record<XOperation['type'], string>

const operationFxIds = fxIdsOf(operationTypes)

/** Returns the UTXOs that an operation produces, in the order of their indices (wire-format.md 1.6). */
function producedBy(operation: XOperation): readonly XState[] {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
      return [
        { type: 'secp256k1fx.MintOutput', ...operation.mintOutput },
        { type: 'secp256k1fx.TransferOutput', ...operation.transferOutput },
      ]
    case 'nftfx.MintOperation': {
      const { groupID, payload } = operation
      return operation.outputs.map((owners) => ({ type: 'nftfx.TransferOutput', groupID, payload, ...owners }))
    }
    case 'nftfx.TransferOperation':
      return [{ type: 'nftfx.TransferOutput', ...operation.output }]
    case 'propertyfx.MintOperation':
      return [
        { type: 'propertyfx.MintOutput', ...operation.mintOutput },
        { type: 'propertyfx.OwnedOutput', ...operation.ownedOutput },
      ]
    case 'propertyfx.BurnOperation':
      return []
  }
}

/** Returns the indices of the owners of the consumed UTXO that sign an operation. */
function signersOf(operation: XOperation): readonly number[] {
  if ('mintInput' in operation) return operation.mintInput.signatureIndices
  return ('input' in operation ? operation.input : operation).signatureIndices
}
