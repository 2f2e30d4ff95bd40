import { bytes, id, list, type Schema, struct, u32 } from '../linear/index.ts'

/** The transaction that created a UTXO, and the index of the output. */
export const utxoIdFields = { txID: id, outputIndex: u32 }

/** An output that a transaction of any chain creates. `output` is the chain's union of outputs. */
export function transferableOutput<O>(output: Schema<O>) {
  return struct('avax.TransferableOutput', { assetID: id, output })
}

export function transferableInput<I>(input: Schema<I>) {
  return struct('avax.TransferableInput', { ...utxoIdFields, assetID: id, input })
}

export function utxo<O>(output: Schema<O>) {
  return struct('avax.UTXO', { ...utxoIdFields, assetID: id, output })
}

/** The first fields of P- and X-Chain transactions. */
export function baseTxFields<O, I>(output: Schema<O>, input: Schema<I>) {
  return {
    networkID: u32,
    blockchainID: id,
    outputs: list(transferableOutput(output)),
    inputs: list(transferableInput(input)),
    memo: bytes,
  }
}
