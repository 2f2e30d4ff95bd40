import { DecodeError } from '../../errors.ts'
import { keccak256 } from '../keccak.ts'
import { encode } from '../linear/index.ts'
import { rlpStruct, rlpU64 } from '../rlp/index.ts'
import { recoverPublicKey } from '../secp256k1.ts'
import { type EvmTx, evmTx, signedChainId } from './evm-transactions.ts'

function unsigned<F extends { v: unknown; r: unknown; s: unknown }>({ v: _, r: __, s: ___, ...fields }: F) {
  return fields
}

const legacyFields = unsigned(evmTx.legacy.fields)
/** What a legacy transaction signs: without a chain id (before EIP-155), or with it and two zeros. */
const anyChain = rlpStruct('UnsignedLegacyTx', legacyFields)
const oneChain = rlpStruct('UnsignedLegacyTx', { ...legacyFields, chainId: rlpU64, zeroR: rlpU64, zeroS: rlpU64 })
const typed = {
  AccessListTx: { number: 1, schema: rlpStruct('Unsigned', unsigned(evmTx.typed[1].fields)) },
  DynamicFeeTx: { number: 2, schema: rlpStruct('Unsigned', unsigned(evmTx.typed[2].fields)) },
} as const

/** What the sender of a transaction has signed: keccak-256 of all but the signature. */
export function evmSigningHash(tx: EvmTx): Uint8Array {
  if (tx.type === 'LegacyTx') {
    const chainId = signedChainId(tx)
    if (chainId === null) return keccak256(encode(anyChain, tx))
    return keccak256(encode(oneChain, { ...tx, chainId, zeroR: 0n, zeroS: 0n }))
  }
  const { number, schema } = typed[tx.type]
  const fields = encode<any>(schema, tx)
  const bytes = new Uint8Array(1 + fields.length)
  bytes[0] = number
  bytes.set(fields, 1)
  return keccak256(bytes)
}

/** The 20-byte address that signed a transaction. Throws `DecodeError` when its signature is that of no key. */
export function evmSender(tx: EvmTx): Uint8Array {
  const parity = parityOf(tx)
  const key = parity === null ? null : recoverPublicKey(evmSigningHash(tx), tx.r, tx.s, parity)
  if (key === null)
    throw new DecodeError(`A transaction of type ${tx.type} has a signature that no key can have made.`, {
      details: { path: 'transaction.v', v: tx.v, nonce: tx.nonce },
    })
  return keccak256(key).subarray(12)
}

function parityOf(tx: EvmTx): 0 | 1 | null {
  const { v } = tx
  if (tx.type !== 'LegacyTx') return v === 0n ? 0 : v === 1n ? 1 : null
  if (v >= 35n) return (v - 35n) % 2n === 0n ? 0 : 1
  return v === 27n ? 0 : v === 28n ? 1 : null
}
