import { idText } from '../../../codec/cb58.ts'
import type { XInputValue } from '../../../codec/x/parts.ts'
import type { UnsignedXTx } from '../../../codec/x/transactions.ts'
import type { XInput } from '../../../schemas/x-inputs.ts'
import { signersOf } from './operations.ts'
import type { XSource } from './place.ts'

/** Adds a row for each UTXO that a transaction consumes: ordinary inputs, imported inputs, and inputs of operations. */
export function addInputs(tx: UnsignedXTx, source: XSource, rows: XInput[]): void {
  const first = rows.length
  addTransfers(rows, tx.inputs, 'transfer', source, first)
  if (tx.type === 'ImportTx') addTransfers(rows, tx.importedInputs, 'import', source, first)
  if (tx.type === 'OperationTx') addConsumed(rows, tx.operations, source, first)
}

function addTransfers(
  rows: XInput[],
  inputs: readonly XInputValue[],
  kind: string,
  { place }: XSource,
  first: number,
): void {
  for (let i = 0; i < inputs.length; i++) {
    const { txID, outputIndex, assetID, input } = inputs[i]!
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      input_index: rows.length - first,
      kind,
      operation_index: null,
      source_tx_id: idText(txID),
      source_output_index: outputIndex,
      asset_id: idText(assetID),
      amount: input.amount,
      signature_indices: input.signatureIndices as number[],
    })
  }
}

type Operations = Extract<UnsignedXTx, { type: 'OperationTx' }>['operations']

function addConsumed(rows: XInput[], operations: Operations, { place }: XSource, first: number): void {
  for (let i = 0; i < operations.length; i++) {
    const { assetID, inputIDs, operation } = operations[i]!
    for (const { txID, outputIndex } of inputIDs)
      rows.push({
        network: place.network,
        blockchain_id: place.blockchain_id,
        height: place.height,
        block_time: place.block_time,
        tx_index: place.tx_index,
        tx_id: place.tx_id,
        input_index: rows.length - first,
        kind: 'operation',
        operation_index: i,
        source_tx_id: idText(txID),
        source_output_index: outputIndex,
        asset_id: idText(assetID),
        amount: null,
        signature_indices: signersOf(operation) as number[],
      })
  }
}
