import { DecodeError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { txIdInBlock } from '../ids.ts'
import {
  decodeExactly,
  decodeOrNull,
  encode,
  id,
  list,
  type Schema,
  shortId,
  spanned,
  struct,
  u32,
  u64,
  union,
  type ValueOf,
  versioned,
} from '../linear/index.ts'
import { credential, transferInput, transferOutput } from '../shared/secp256k1fx.ts'
import { transferableInput, transferableOutput } from '../shared/transfers.ts'

const input = union('input', { 5: transferInput })
const output = union('output', { 7: transferOutput })
const head = { networkID: u32, blockchainID: id }

/** Accounts that an export debits and an import credits. Amounts are in the least unit of the asset (1 nAVAX = 10^9 wei). */
const evmInput = struct('EVMInput', { address: shortId, amount: u64, assetID: id, nonce: u64 })
const evmOutput = struct('EVMOutput', { address: shortId, amount: u64, assetID: id })

/** Transactions between the C-Chain and the other chains (wire-format.md 1.8). */
export const unsignedAtomicTx = union('atomic transaction', {
  0: struct('ImportTx', {
    ...head,
    sourceChain: id,
    importedInputs: list(transferableInput(input)),
    outputs: list(evmOutput),
  }),
  1: struct('ExportTx', {
    ...head,
    destinationChain: id,
    inputs: list(evmInput),
    exportedOutputs: list(transferableOutput(output)),
  }),
})
export type UnsignedAtomicTx = ValueOf<typeof unsignedAtomicTx>

const atomicTx = struct('Tx', {
  unsignedTx: unsignedAtomicTx,
  credentials: list(union('credential', { 9: credential })),
})
export type AtomicTx = ValueOf<typeof atomicTx>

/** One transaction: the whole extData before Apricot phase 5. The SHA-256 of these bytes is its id. */
export const signedAtomicTx: Schema<AtomicTx> = versioned(atomicTx)
/** The extData since Apricot phase 5: one or more transactions. */
export const atomicTxBatch: Schema<readonly AtomicTx[]> = versioned(list(spanned(atomicTx)))

type ExtData = {
  readonly encoding: 'none' | 'single' | 'batch'
  readonly txs: readonly AtomicTx[]
  /** The bytes of each transaction, without the codec version. */
  readonly txBytes: readonly Uint8Array[]
  readonly txIds: readonly Uint8Array[]
}

/** Returns the atomic transactions in the extData of a block. Throws `DecodeError` with `path` as the path of the extData. */
export function decodeExtData(extData: Uint8Array, path: string): ExtData {
  if (extData.length === 0) return { encoding: 'none', txs: [], txBytes: [], txIds: [] }
  const batch = decodeOrNull(atomicTxBatch, extData)
  if (batch !== null && batch.value.length > 0) {
    const { value: txs, spans } = batch
    const txBytes = txs.map((_, i) => extData.subarray(spans[2 * i], spans[2 * i + 1]))
    return { encoding: 'batch', txs, txBytes, txIds: txBytes.map(txIdInBlock) }
  }
  const single = decodeOrNull(signedAtomicTx, extData)
  if (single !== null)
    return { encoding: 'single', txs: [single.value], txBytes: [extData.subarray(2)], txIds: [sha256(extData)] }
  decodeExactly(atomicTxBatch, extData, path)
  throw new DecodeError(`Cannot decode ${path} at byte 2: a batch without transactions.`, {
    details: { path, offset: 2 },
  })
}

/** The inverse of `decodeExtData`. */
export function encodeExtData({ encoding, txs }: Pick<ExtData, 'encoding' | 'txs'>): Uint8Array {
  if (encoding === 'none') return new Uint8Array()
  return encoding === 'single' ? encode(signedAtomicTx, txs[0]!) : encode(atomicTxBatch, txs)
}
