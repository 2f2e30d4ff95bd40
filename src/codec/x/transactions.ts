import { id, list, type Schema, struct, text, u8, u32, union, type ValueOf, versioned } from '../linear/index.ts'
import { utxoIdFields } from '../shared/transfers.ts'
import { xBase, xCredential, xOperation, xState, xTransferableInput, xTransferableOutput } from './parts.ts'

/** `fxIndex`: 0 secp256k1, 1 NFT, 2 property. */
export const initialState = struct('InitialState', { fxIndex: u32, outputs: list(xState) })

/** The asset's id is the id of this transaction. */
export const createAssetTx = struct('CreateAssetTx', {
  ...xBase,
  name: text,
  symbol: text,
  denomination: u8,
  initialStates: list(initialState),
})

const operation = struct('Operation', {
  assetID: id,
  inputIDs: list(struct('UTXOID', utxoIdFields)),
  operation: xOperation,
})

/** Every transaction of the X chain by its type id (wire-format.md 1.6). */
export const unsignedXTx = union('X transaction', {
  0: struct('BaseTx', xBase),
  1: createAssetTx,
  2: struct('OperationTx', { ...xBase, operations: list(operation) }),
  3: struct('ImportTx', { ...xBase, sourceChain: id, importedInputs: list(xTransferableInput) }),
  4: struct('ExportTx', { ...xBase, destinationChain: id, exportedOutputs: list(xTransferableOutput) }),
})
export type UnsignedXTx = ValueOf<typeof unsignedXTx>

/** A transaction as it stands in a block: without codec version. */
export const xTx = struct('Tx', { unsignedTx: unsignedXTx, credentials: list(xCredential) })
export type XTx = ValueOf<typeof xTx>

/** A transaction on its own, as in vertices and the index X/tx. Its id is the sha256 of these bytes. */
export const signedXTx: Schema<XTx> = versioned(xTx)
