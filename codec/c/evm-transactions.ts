import { encode, type Schema, type ValueOf } from '../linear/index.ts'
import { ReadFailure } from '../linear/reader.ts'
import { createWriter, written } from '../linear/writer.ts'
import {
  enterString,
  isList,
  leaveList,
  rlpBytes,
  rlpFixed,
  rlpFixedOrEmpty,
  rlpList,
  rlpStruct,
  rlpU64,
  rlpU256,
  writeString,
} from '../rlp/index.ts'

/** Null if the transaction creates a contract. */
const to = rlpFixedOrEmpty(20)
const signature = { v: rlpU64, r: rlpU256, s: rlpU256 }
const accessList = rlpList(rlpStruct('AccessTuple', { address: rlpFixed(20), storageKeys: rlpList(rlpFixed(32)) }))

const legacyTx = rlpStruct('LegacyTx', {
  nonce: rlpU64,
  gasPrice: rlpU256,
  gas: rlpU64,
  to,
  value: rlpU256,
  input: rlpBytes,
  ...signature,
})

/** Typed transactions (EIP-2718): a byte string that begins with the number of the type. */
const typed = {
  1: rlpStruct('AccessListTx', {
    chainId: rlpU64,
    nonce: rlpU64,
    gasPrice: rlpU256,
    gas: rlpU64,
    to,
    value: rlpU256,
    input: rlpBytes,
    accessList,
    ...signature,
  }),
  2: rlpStruct('DynamicFeeTx', {
    chainId: rlpU64,
    nonce: rlpU64,
    maxPriorityFeePerGas: rlpU256,
    maxFeePerGas: rlpU256,
    gas: rlpU64,
    to,
    value: rlpU256,
    input: rlpBytes,
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
