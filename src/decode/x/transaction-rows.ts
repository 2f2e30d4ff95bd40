import { idText } from '../../../codec/cb58.ts'
import type { UnsignedXTx, XTx } from '../../../codec/x/transactions.ts'
import type { XAsset } from '../../../schemas/x-assets.ts'
import { nativeLeft } from '../native-left.ts'
import { addInputs } from './inputs.ts'
import { operationFxIds, operationTypes } from './operations.ts'
import { addOutputs } from './outputs.ts'
import type { XSource, XTransactionRows } from './place.ts'

/** Adds the rows of a transaction to every table that it fills. */
export function addTransaction(tx: XTx, source: XSource, rows: XTransactionRows): void {
  const { unsignedTx } = tx
  const firstInput = rows.inputs.length
  const firstOutput = rows.outputs.length
  addInputs(unsignedTx, source, rows.inputs)
  addOutputs(unsignedTx, source, rows.outputs)
  const { context, place } = source
  let signatures = 0
  for (const credential of tx.credentials) signatures += credential.signatures.length
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
    signature_count: signatures,
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
  if (nativeAssetId === null) return null
  const given = tx.type === 'OperationTx' ? outputs.slice(0, firstOutput + tx.outputs.length) : outputs
  return nativeLeft(inputs, firstInput, given, firstOutput, nativeAssetId)
}

type Tx<T extends UnsignedXTx['type']> = Extract<UnsignedXTx, { readonly type: T }>

function assetRow(tx: Tx<'CreateAssetTx'>, { place }: XSource): XAsset {
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
