import { sha256 } from './hash.ts'

let scratch = new Uint8Array(4096)

/** Returns the id of a transaction from its bytes inside a block, which have no codec version (wire-format.md 1.2). */
export function txIdInBlock(slice: Uint8Array): Uint8Array {
  const length = slice.length + 2
  // The first two bytes stay zero (codec version 0): no code writes to them.
  if (scratch.length < length) scratch = new Uint8Array(length * 2)
  scratch.set(slice, 2)
  return sha256(scratch.subarray(0, length))
}

const utxoScratch = new Uint8Array(40)

/** Returns the id of a UTXO: sha256 of its index (u64) and the id of its transaction. */
export function utxoId(txId: Uint8Array, index: number): Uint8Array {
  utxoScratch[4] = index >>> 24
  utxoScratch[5] = index >>> 16
  utxoScratch[6] = index >>> 8
  utxoScratch[7] = index
  utxoScratch.set(txId, 8)
  return sha256(utxoScratch)
}

const validationScratch = new Uint8Array(36)

/** Returns the validation id of the validator at `position` in a ConvertSubnetToL1Tx. */
export function convertedValidationId(subnetId: Uint8Array, position: number): Uint8Array {
  validationScratch.set(subnetId)
  validationScratch[32] = position >>> 24
  validationScratch[33] = position >>> 16
  validationScratch[34] = position >>> 8
  validationScratch[35] = position
  return sha256(validationScratch)
}
