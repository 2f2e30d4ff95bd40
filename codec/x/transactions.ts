import { id, list, type Schema, struct, text, u8, u32, union, type ValueOf, versioned } from '../linear/index.ts'
import { utxoIdFields } from '../shared/transfers.ts'
import { primaryParts, type XParts } from './parts.ts'

/** Returns every transaction of a chain of the asset VM by its type id (wire-format.md 1.6), composed of these parts. */
export function xTransactions({ base, state, operation, credential, transferableInput, transferableOutput }: XParts) {
  /** `fxIndex` is the position in the order of the chain's feature extensions. */
  const initialState = struct('InitialState', { fxIndex: u32, outputs: list(state) })
  /** The id of this transaction is the id of the asset. */
  const createAssetTx = struct('CreateAssetTx', {
    ...base,
    name: text,
    symbol: text,
    denomination: u8,
    initialStates: list(initialState),
  })
  const operationOfAsset = struct('Operation', {
    assetID: id,
    inputIDs: list(struct('UTXOID', utxoIdFields)),
    operation,
  })
  const unsigned = union('X transaction', {
    0: struct('BaseTx', base),
    1: createAssetTx,
    2: struct('OperationTx', { ...base, operations: list(operationOfAsset) }),
    3: struct('ImportTx', { ...base, sourceChain: id, importedInputs: list(transferableInput) }),
    4: struct('ExportTx', { ...base, destinationChain: id, exportedOutputs: list(transferableOutput) }),
  })
  /** A transaction inside a block: without codec version. */
  const tx = struct('Tx', { unsignedTx: unsigned, credentials: list(credential) })
  return { createAssetTx, unsigned, tx }
}
export type XTransactions = ReturnType<typeof xTransactions>
export type UnsignedXTx = ValueOf<XTransactions['unsigned']>
export type XTx = ValueOf<XTransactions['tx']>

/** The transactions of the primary network's X-Chain. */
export const primaryTransactions: XTransactions = xTransactions(primaryParts)
export const unsignedXTx: XTransactions['unsigned'] = primaryTransactions.unsigned

/** A transaction outside of a block, as in vertices and the index X/tx. The sha256 of these bytes is its id. */
export const signedXTx: Schema<XTx> = versioned(primaryTransactions.tx)
