import type { AtomicTx } from '../../../codec/c/atomic-transactions.ts'
import { idText } from '../../../codec/cb58.ts'
import type { CAtomicInput } from '../../../schemas/c-atomic-inputs.ts'
import type { CAtomicOutput } from '../../../schemas/c-atomic-outputs.ts'
import type { CAtomicTransaction } from '../../../schemas/c-atomic-transactions.ts'
import { nativeLeft } from '../native-left.ts'
import { addAtomicInputs } from './atomic-inputs.ts'
import { addAtomicOutputs } from './atomic-outputs.ts'
import type { AtomicSource } from './place.ts'

export type AtomicRows = {
  atomicTransactions: CAtomicTransaction[]
  atomicInputs: CAtomicInput[]
  atomicOutputs: CAtomicOutput[]
}

/** Adds the rows of an atomic transaction. */
export function addAtomicTransaction(tx: AtomicTx, source: AtomicSource, rows: AtomicRows): void {
  const { unsignedTx } = tx
  const { place, context } = source
  const firstInput = rows.atomicInputs.length
  const firstOutput = rows.atomicOutputs.length
  addAtomicInputs(unsignedTx, source, rows.atomicInputs)
  addAtomicOutputs(unsignedTx, source, rows.atomicOutputs)
  rows.atomicTransactions.push({
    network: place.network,
    blockchain_id: place.blockchain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    tx_index: source.txIndex,
    tx_id: source.txIdText,
    tx_type: unsignedTx.type,
    source_chain_id: unsignedTx.type === 'ImportTx' ? idText(unsignedTx.sourceChain) : null,
    destination_chain_id: unsignedTx.type === 'ExportTx' ? idText(unsignedTx.destinationChain) : null,
    burned:
      context.nativeAssetId === null
        ? null
        : nativeLeft(rows.atomicInputs, firstInput, rows.atomicOutputs, firstOutput, context.nativeAssetId),
    input_count: rows.atomicInputs.length - firstInput,
    output_count: rows.atomicOutputs.length - firstOutput,
    signature_count: tx.credentials.reduce((sum, { signatures }) => sum + signatures.length, 0),
  })
}
