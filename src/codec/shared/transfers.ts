import { bytes, id, list, type Schema, struct, u32 } from '../linear/index.ts'

/** Where a UTXO comes from. */
export const utxoIdFields = { txID: id, outputIndex: u32 }

/** What transactions of all chains move; `output` is the chain's union of outputs. */
export function transferableOutput<O>(output: Schema<O>) {
  return struct('avax.TransferableOutput', { assetID: id, output })
}

export function transferableInput<I>(input: Schema<I>) {
  return struct('avax.TransferableInput', { ...utxoIdFields, assetID: id, input })
}

export function utxo<O>(output: Schema<O>) {
  return struct('avax.UTXO', { ...utxoIdFields, assetID: id, output })
}

/** What P and X transactions begin with. */
export function baseTxFields<O, I>(output: Schema<O>, input: Schema<I>) {
  return {
    networkID: u32,
    blockchainID: id,
    outputs: list(transferableOutput(output)),
    inputs: list(transferableInput(input)),
    memo: bytes,
  }
}
