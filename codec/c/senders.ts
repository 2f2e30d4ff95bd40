import { DecodeError } from '../errors.ts'
import { keccak256 } from '../keccak.ts'
import { createReader } from '../linear/reader.ts'
import { createWriter, written } from '../linear/writer.ts'
import { enterList, rlpU64, skipItem, writeItems, writeList } from '../rlp/index.ts'
import { type RecoverKey, recoverPublicKey } from '../secp256k1/index.ts'
import { type EvmTx, evmTx, evmTxBytes, signedChainId } from './evm-transactions.ts'

/** Number of fields before the signature, which is the last three fields. */
const unsignedFields = {
  LegacyTx: Object.keys(evmTx.legacy.fields).length - 3,
  AccessListTx: Object.keys(evmTx.typed[1].fields).length - 3,
  DynamicFeeTx: Object.keys(evmTx.typed[2].fields).length - 3,
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

const signature = new Uint8Array(64)
const quarters = new DataView(signature.buffer)

/**
 * Returns the 20-byte address that signed a transaction. `bytes` as in `evmSigningHash`. Throws `DecodeError` if no key can have made the
 * signature.
 */
export function evmSender(tx: EvmTx, bytes?: Uint8Array, recover: RecoverKey = recoverPublicKey): Uint8Array {
  const parity = parityOf(tx)
  putInteger(tx.r, 0)
  putInteger(tx.s, 32)
  const key = parity === null ? null : recover(evmSigningHash(tx, bytes), signature, parity)
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
