import { ripemd160, sha256 } from './hash.ts'
import type { RecoverKey } from './secp256k1/recover-key.ts'

/** Length of a signature in bytes: r and s, 32 bytes each, and the parity of the y coordinate of the point of r. */
const signatureLength = 65

type Credential = { readonly signatures: readonly unknown[] }

/**
 * Returns the length in bytes of the credentials after an unsigned transaction: their number, and for each credential its type id, its
 * number of signatures and the signatures.
 */
export function credentialsLength(credentials: readonly Credential[]): number {
  return credentials.reduce((sum, { signatures }) => sum + 8 + signatures.length * signatureLength, 4)
}

/**
 * Returns the compressed public key that signed `hash`, the sha256 of an unsigned P- or X-Chain transaction. Null if no key can have made
 * the signature.
 */
export function signerKey(hash: Uint8Array, signature: Uint8Array, recover: RecoverKey): Uint8Array | null {
  const parity = signature[64]
  if (parity !== 0 && parity !== 1) return null
  const key = recover(hash, signature.subarray(0, 64), parity)
  if (key === null) return null
  const compressed = new Uint8Array(33)
  compressed[0] = 2 + (key[63]! & 1)
  compressed.set(key.subarray(0, 32), 1)
  return compressed
}

/** Returns the 20 bytes of the address of a compressed public key. */
export function addressOfKey(key: Uint8Array): Uint8Array {
  return ripemd160(sha256(key))
}
