// The module itself: the package's index compiles five WebAssembly programs and takes four times as long.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'

/** Compiled once; from then on recovery is synchronous: about 0.4 ms each. */
const secp256k1 = await instantiateSecp256k1()

const compact = new Uint8Array(64)

/** The 64 bytes of the public key that made a signature, or null when no key can have made it. */
export function recoverPublicKey(hash: Uint8Array, r: bigint, s: bigint, parity: 0 | 1): Uint8Array | null {
  putInteger(r, 0)
  putInteger(s, 32)
  const key = secp256k1.recoverPublicKeyUncompressed(compact, parity, hash)
  return typeof key === 'string' ? null : key.subarray(1)
}

function putInteger(value: bigint, at: number): void {
  compact.set(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'), at)
}
