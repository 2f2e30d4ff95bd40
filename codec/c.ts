import { openOnce, parentText } from './containers.ts'
import { DecodeError } from './errors.ts'
import { cHeader } from './evm/header.ts'
import { credential, transferableInput, transferableOutput, transferInput, transferOutput } from './fxs.ts'
import { sha256 } from './hash.ts'
import { txIdInBlock } from './ids.ts'
import { keccak256 } from './keccak.ts'
import {
  createReader,
  createWriter,
  decodeExactly,
  decodeOrNull,
  decodeWithSpans,
  encode,
  id,
  list,
  ReadFailure,
  type Schema,
  shortId,
  spanned,
  struct,
  u32,
  u64,
  union,
  type ValueOf,
  versioned,
  written,
} from './linear.ts'
import {
  enterList,
  enterString,
  isList,
  itemOfList,
  leaveList,
  rlpBytes,
  rlpFixed,
  rlpFixedOrEmpty,
  rlpList,
  rlpStruct,
  rlpU64,
  rlpU256,
  skipItem,
  writeItems,
  writeList,
  writeString,
} from './rlp.ts'
import type { RecoverKey } from './secp256k1.ts'

export function cContainerHeight(container: Uint8Array): bigint | null {
  return cBlockNumber(openOnce(container).wrapper.block)
}

export function cContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(cBlock, block, 'block').header.parentHash)
}

/** Null if the transaction creates a contract. */
const to = rlpFixedOrEmpty(20)
const signature = { v: rlpU64, r: rlpU256, s: rlpU256 }
const accessList = rlpList(rlpStruct('AccessTuple', { address: rlpFixed(20), storageKeys: rlpList(rlpFixed(32)) }))

/** The fields of every transaction, after those about the price of gas. */
const call = { gas: rlpU64, to, value: rlpU256, input: rlpBytes }

const legacyTx = rlpStruct('LegacyTx', { nonce: rlpU64, gasPrice: rlpU256, ...call, ...signature })

/** Typed transactions (EIP-2718): a byte string that begins with the number of the type. */
const typed = {
  1: rlpStruct('AccessListTx', {
    chainId: rlpU64,
    nonce: rlpU64,
    gasPrice: rlpU256,
    ...call,
    accessList,
    ...signature,
  }),
  2: rlpStruct('DynamicFeeTx', {
    chainId: rlpU64,
    nonce: rlpU64,
    maxPriorityFeePerGas: rlpU256,
    maxFeePerGas: rlpU256,
    ...call,
    accessList,
    ...signature,
  }),
}

type LegacyTx = ValueOf<typeof legacyTx.tagged>
type TypedTx = ValueOf<(typeof typed)[1]['tagged']> | ValueOf<(typeof typed)[2]['tagged']>
export type EvmTx = LegacyTx | TypedTx

/**
 * An EVM transaction inside a block (EIP-155, 2930, 1559). Its span covers the bytes that keccak-256 turns into its hash: all bytes of a
 * legacy transaction, and the content of the byte string of a typed one.
 */
export const evmTx: Schema<EvmTx> & { readonly legacy: typeof legacyTx; readonly typed: typeof typed } = {
  legacy: legacyTx,
  typed,
  read: (reader) => {
    const at = reader.offset
    if (isList(reader)) {
      const legacy = legacyTx.tagged.read(reader)
      reader.spans.push(at, reader.offset)
      return legacy
    }
    const length = enterString(reader)
    const start = reader.offset
    const number = length === 0 ? 0 : reader.bytes[start]!
    if (number !== 1 && number !== 2) throw new ReadFailure(`EVM transaction of unknown type ${number}`, at)
    reader.offset++
    const tx = typed[number].tagged.read(reader)
    leaveList(reader, start + length)
    reader.spans.push(start, reader.offset)
    return tx
  },
  write: (writer, value) => {
    if (value.type === 'LegacyTx') legacyTx.tagged.write(writer, value)
    else writeString(writer, typedBytes(value))
  },
}

function typedBytes(tx: TypedTx): Uint8Array {
  const content = createWriter()
  const number = tx.type === 'AccessListTx' ? 1 : 2
  content.bytes[content.offset++] = number
  const schema: Schema<any> = typed[number].tagged
  schema.write(content, tx)
  return written(content)
}

/** Returns the bytes that give the hash of a transaction. Those of a typed transaction have no string prefix. */
export function evmTxBytes(tx: EvmTx): Uint8Array {
  return tx.type === 'LegacyTx' ? encode(legacyTx.tagged, tx) : typedBytes(tx)
}

/** Returns the chain id that the signature covers (EIP-155). Null for a legacy transaction that is valid on any chain. */
export function signedChainId(tx: EvmTx): bigint | null {
  if (tx.type !== 'LegacyTx') return tx.chainId
  return tx.v < 35n ? null : (tx.v - 35n) / 2n
}

/** A C-Chain block inside a container (wire-format.md 1.8). Header and transactions are `spanned`, in this order. */
export const cBlock = rlpStruct('Block', {
  header: spanned(cHeader),
  transactions: rlpList(evmTx),
  /** Always empty: Avalanche consensus has no uncles. */
  uncles: rlpList(cHeader),
  version: rlpU64,
  extData: rlpBytes,
})
export type CBlockValue = ValueOf<typeof cBlock>

export type HashedCBlock = {
  readonly block: CBlockValue
  /** keccak-256 of the header's bytes. */
  readonly hash: Uint8Array
  /** The bytes that give the hash of each transaction. */
  readonly transactionBytes: readonly Uint8Array[]
  /** keccak-256 of each transaction's bytes. */
  readonly transactionHashes: readonly Uint8Array[]
}

/** Decodes a block and hashes its header and transactions. Throws `DecodeError` with `path` as the path of the block. */
export function decodeCBlock(bytes: Uint8Array, path: string): HashedCBlock {
  const { value, spans } = decodeWithSpans(cBlock, bytes, path)
  const transactionBytes: Uint8Array[] = []
  const transactionHashes: Uint8Array[] = []
  for (let i = 2; i < spans.length; i += 2) {
    const own = bytes.subarray(spans[i], spans[i + 1])
    transactionBytes.push(own)
    transactionHashes.push(keccak256(own))
  }
  const hash = keccak256(bytes.subarray(spans[0], spans[1]))
  return { block: value, hash, transactionBytes, transactionHashes }
}

const numberInHeader = 8

/** Returns the block number, for errors about a block that cannot be decoded as a whole. Null if the number cannot be read either. */
export function cBlockNumber(bytes: Uint8Array): bigint | null {
  const number = itemOfList(itemOfList(bytes, 0) ?? bytes, numberInHeader)
  return number === null ? null : (decodeOrNull(rlpU64, number)?.value ?? null)
}

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

/** Number of fields before the signature, which is the last three fields. */
const unsignedFields = {
  LegacyTx: Object.keys(legacyTx.fields).length - 3,
  AccessListTx: Object.keys(typed[1].fields).length - 3,
  DynamicFeeTx: Object.keys(typed[2].fields).length - 3,
} as const

/** Bytes reserved around the fields: a type, the length of the list, a chain id and two zeros. */
const aroundFields = 24

/**
 * Returns the hash that the sender has signed: keccak-256 of the transaction without its signature. `bytes` are those that give the hash of
 * the transaction (`evmTxBytes`). Their fields are copied as they are, because RLP has one encoding of each value.
 */
export function evmSigningHash(tx: EvmTx, bytes: Uint8Array = evmTxBytes(tx)): Uint8Array {
  const isLegacy = tx.type === 'LegacyTx'
  const fields = itemsOf(bytes, isLegacy ? 0 : 1, unsignedFields[tx.type])
  const writer = createWriter(fields.length + aroundFields)
  if (!isLegacy) writer.bytes[writer.offset++] = bytes[0]!
  const chainId = isLegacy ? signedChainId(tx) : null
  writeList(writer, () => {
    writeItems(writer, fields)
    // A legacy transaction that is valid on one chain only (EIP-155).
    if (chainId !== null) for (const value of [chainId, 0n, 0n]) rlpU64.write(writer, value)
  })
  return keccak256(written(writer))
}

/** Returns the bytes of the first `count` items of the list that begins at `start`. */
function itemsOf(bytes: Uint8Array, start: number, count: number): Uint8Array {
  const reader = createReader(bytes)
  reader.offset = start
  enterList(reader)
  const first = reader.offset
  for (let i = 0; i < count; i++) skipItem(reader)
  return bytes.subarray(first, reader.offset)
}

const signatureBytes = new Uint8Array(64)
const quarters = new DataView(signatureBytes.buffer)

/**
 * Returns the 20-byte address that signed a transaction. `recover` is that of the library of the curve, which this file does not load. `bytes`
 * as in `evmSigningHash`. Throws `DecodeError` if no key can have made the signature.
 */
export function evmSender(tx: EvmTx, recover: RecoverKey, bytes?: Uint8Array): Uint8Array {
  const parity = parityOf(tx)
  putInteger(tx.r, 0)
  putInteger(tx.s, 32)
  const key = parity === null ? null : recover(evmSigningHash(tx, bytes), signatureBytes, parity)
  if (key === null)
    throw new DecodeError(`A transaction of type ${tx.type} has a signature that no key can have made.`, {
      details: { path: 'transaction.v', v: tx.v, nonce: tx.nonce },
    })
  return keccak256(key).subarray(12)
}

function putInteger(value: bigint, at: number): void {
  for (let left = value, end = at + 32; end > at; end -= 8, left >>= 64n) quarters.setBigUint64(end - 8, left)
}

function parityOf(tx: EvmTx): 0 | 1 | null {
  const { v } = tx
  if (tx.type !== 'LegacyTx') return v === 0n ? 0 : v === 1n ? 1 : null
  if (v >= 35n) return (v - 35n) % 2n === 0n ? 0 : 1
  return v === 27n ? 0 : v === 28n ? 1 : null
}
