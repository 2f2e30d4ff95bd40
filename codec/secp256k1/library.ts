// Imports the module itself. The package's index compiles five WebAssembly programs and takes four times as long.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import type { RecoverKey } from './recover-key.ts'

/**
 * Loads libsecp256k1 as WebAssembly, which runs on every platform. One recovery takes about 0.2 milliseconds. The module is compiled once;
 * after that, recovery is synchronous.
 */
export async function loadLibrary(): Promise<RecoverKey> {
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1()
  return (hash, signature, parity) => {
    const key = recoverPublicKeyUncompressed(signature, parity, hash)
    return typeof key === 'string' ? null : key.subarray(1)
  }
}
