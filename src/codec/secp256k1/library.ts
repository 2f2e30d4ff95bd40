// The module itself: the package's index compiles five WebAssembly programs and takes four times as long.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import type { RecoverKey } from './recover-key.ts'

/** libsecp256k1 as WebAssembly, which runs everywhere: some 0.2 ms each. Compiled once; from then on recovery is synchronous. */
export async function loadLibrary(): Promise<RecoverKey> {
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1()
  return (hash, signature, parity) => {
    const key = recoverPublicKeyUncompressed(signature, parity, hash)
    return typeof key === 'string' ? null : key.subarray(1)
  }
}
