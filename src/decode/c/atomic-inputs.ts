import type { UnsignedAtomicTx } from '../../../codec/c/atomic-transactions.ts'
import { idText } from '../../../codec/cb58.ts'
import type { CAtomicInput } from '../../../schemas/c-atomic-inputs.ts'
import { repeatedAddressText } from '../texts.ts'
import type { AtomicSource } from './place.ts'

/** Adds a row for each imported UTXO, or for each account that pays for an export. */
export function addAtomicInputs(tx: UnsignedAtomicTx, source: AtomicSource, rows: CAtomicInput[]): void {
  const { place, txIndex, txIdText } = source
  if (tx.type === 'ImportTx') {
    tx.importedInputs.forEach(({ txID, outputIndex, assetID, input }, i) => {
      rows.push({
        network: place.network,
        blockchain_id: place.blockchain_id,
        block_number: place.block_number,
        block_time: place.block_time,
        tx_index: txIndex,
        tx_id: txIdText,
        input_index: i,
        kind: 'import',
        source_tx_id: idText(txID),
        source_output_index: outputIndex,
        evm_address: null,
        nonce: null,
        asset_id: idText(assetID),
        amount: input.amount,
        signature_indices: input.signatureIndices as number[],
      })
    })
    return
  }
  tx.inputs.forEach(({ address, amount, assetID, nonce }, i) => {
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      block_number: place.block_number,
      block_time: place.block_time,
      tx_index: txIndex,
      tx_id: txIdText,
      input_index: i,
      kind: 'evm',
      source_tx_id: null,
      source_output_index: null,
      evm_address: repeatedAddressText(address),
      nonce,
      asset_id: idText(assetID),
      amount,
      signature_indices: null,
    })
  })
}
