import type { UnsignedAtomicTx } from '../../../codec/c/atomic-transactions.ts'
import { idText } from '../../../codec/cb58.ts'
import { utxoId } from '../../../codec/ids.ts'
import type { CAtomicOutput } from '../../../schemas/c-atomic-outputs.ts'
import { addressTexts, repeatedAddressText } from '../texts.ts'
import type { AtomicSource } from './place.ts'

/** Adds a row for each account that an import credits, or for each exported UTXO. Indices of UTXOs begin at 0 (wire-format.md 1.8). */
export function addAtomicOutputs(tx: UnsignedAtomicTx, source: AtomicSource, rows: CAtomicOutput[]): void {
  const { place, txIndex, txId, txIdText, context } = source
  if (tx.type === 'ExportTx') {
    tx.exportedOutputs.forEach(({ assetID, output }, i) => {
      rows.push({
        network: place.network,
        blockchain_id: place.blockchain_id,
        block_number: place.block_number,
        block_time: place.block_time,
        tx_index: txIndex,
        tx_id: txIdText,
        output_index: i,
        kind: 'export',
        utxo_id: idText(utxoId(txId, i)),
        evm_address: null,
        asset_id: idText(assetID),
        amount: output.amount,
        addresses: addressTexts(context.hrp, output.addresses),
        threshold: output.threshold,
        locktime: output.locktime,
      })
    })
    return
  }
  tx.outputs.forEach(({ address, amount, assetID }, i) => {
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      block_number: place.block_number,
      block_time: place.block_time,
      tx_index: txIndex,
      tx_id: txIdText,
      output_index: i,
      kind: 'evm',
      utxo_id: null,
      evm_address: repeatedAddressText(address),
      asset_id: idText(assetID),
      amount,
      addresses: null,
      threshold: null,
      locktime: null,
    })
  })
}
