import { idText } from '../../../codec/cb58.ts'
import { utxoId } from '../../../codec/ids.ts'
import type { XState } from '../../../codec/x/parts.ts'
import type { UnsignedXTx } from '../../../codec/x/transactions.ts'
import type { XOutput } from '../../../schemas/x-outputs.ts'
import { addressTexts } from '../texts.ts'
import { producedBy } from './operations.ts'
import { outputFxIds, outputTypes } from './output-types.ts'
import type { XSource } from './place.ts'

/** Adds a row for each UTXO that a transaction produces, in the order of their indices (wire-format.md 1.6). */
export function addOutputs(tx: UnsignedXTx, source: XSource, rows: XOutput[]): void {
  const first = rows.length
  const add = (
    origin: string,
    operation: number | null,
    assetId: string,
    state: XState,
    fx: number | null = null,
  ): void => {
    rows.push(outputRow(source, rows.length - first, origin, operation, assetId, state, fx))
  }
  for (const { assetID, output } of tx.outputs) add('base', null, idText(assetID), output)
  switch (tx.type) {
    case 'CreateAssetTx':
      for (const { fxIndex, outputs } of tx.initialStates)
        for (const state of outputs) add('initial', null, source.place.tx_id, state, fxIndex)
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

function outputRow(
  { place, txId, context }: XSource,
  index: number,
  origin: string,
  operation: number | null,
  assetId: string,
  state: XState,
  fxIndex: number | null,
): XOutput {
  return {
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
  }
}
