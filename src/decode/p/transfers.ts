import { idText } from '../../../codec/cb58.ts'
import { utxoId } from '../../../codec/ids.ts'
import type { PInputValue, POutputValue } from '../../../codec/p/parts.ts'
import type { UnsignedPTx } from '../../../codec/p/transactions.ts'
import type { PInput } from '../../../schemas/p-inputs.ts'
import type { POutput } from '../../../schemas/p-outputs.ts'
import { nativeLeft } from '../native-left.ts'
import { addressTexts } from '../texts.ts'
import type { TransactionSource } from './place.ts'

export type Transfers = {
  readonly inputCount: number
  readonly outputCount: number
  /** Native asset of all inputs minus that of all outputs, in nAVAX; 0 if the native asset is unknown. */
  readonly nativeLeft: bigint
}

/** Adds the rows of the UTXOs that a transaction consumes and produces (UTXO indices: wire-format.md 1.7). */
export function addTransfers(
  tx: UnsignedPTx,
  source: TransactionSource,
  inputRows: PInput[],
  outputRows: POutput[],
): Transfers {
  const firstInput = inputRows.length
  const firstOutput = outputRows.length
  if ('inputs' in tx) addInputs(inputRows, tx.inputs, 'transfer', source, 0)
  if ('importedInputs' in tx) addInputs(inputRows, tx.importedInputs, 'import', source, tx.inputs.length)
  if ('outputs' in tx) addOutputs(outputRows, tx.outputs, 'transfer', source, 0)
  if ('stake' in tx) addOutputs(outputRows, tx.stake, 'stake', source, tx.outputs.length)
  if ('exportedOutputs' in tx) addOutputs(outputRows, tx.exportedOutputs, 'export', source, tx.outputs.length)
  return {
    inputCount: inputRows.length - firstInput,
    outputCount: outputRows.length - firstOutput,
    nativeLeft: nativeLeft(inputRows, firstInput, outputRows, firstOutput, source.context.nativeAssetId),
  }
}

function addInputs(
  rows: PInput[],
  inputs: readonly PInputValue[],
  kind: string,
  { place }: TransactionSource,
  first: number,
): void {
  for (let i = 0; i < inputs.length; i++) {
    const { txID, outputIndex, assetID, input } = inputs[i]!
    const locked = input.type === 'stakeable.LockIn'
    const plain = locked ? input.input : input
    rows.push({
      network: place.network,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      input_index: first + i,
      kind,
      source_tx_id: idText(txID),
      source_output_index: outputIndex,
      asset_id: idText(assetID),
      amount: plain.amount,
      stakeable_locktime: locked ? input.locktime : null,
      signature_indices: plain.signatureIndices as number[],
    })
  }
}

function addOutputs(
  rows: POutput[],
  outputs: readonly POutputValue[],
  kind: string,
  { place, txId, context }: TransactionSource,
  first: number,
): void {
  for (let i = 0; i < outputs.length; i++) {
    const { assetID, output } = outputs[i]!
    const locked = output.type === 'stakeable.LockOut'
    const plain = locked ? output.output : output
    rows.push({
      network: place.network,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      output_index: first + i,
      utxo_id: idText(utxoId(txId, first + i)),
      kind,
      asset_id: idText(assetID),
      amount: plain.amount,
      addresses: addressTexts(context.hrp, plain.addresses),
      threshold: plain.threshold,
      locktime: plain.locktime,
      stakeable_locktime: locked ? output.locktime : null,
    })
  }
}
