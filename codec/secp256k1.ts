import { createRequire } from 'node:module'
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'

/** The function of the package `secp256k1` that chainlake calls. The package has no types. */
type Addon = {
  ecdsaRecover(signature: Uint8Array, parity: number, hash: Uint8Array, compressed: false): Uint8Array
}

/** Messages of the addon about signatures that no key can have made. */
const refusals: ReadonlySet<unknown> = new Set(['Signature could not be parsed', 'Public key could not be recover'])

/**
 * Loads libsecp256k1 as a native addon, which takes a third of the time of WebAssembly. Returns null if the optional dependency is not
 * installed or does not support this platform. In that case the package's index would load the package elliptic, which is ten times slower
 * and has an open advisory (GHSA-848j-6mx2-7j84, all versions: wrong signatures that may reveal the key). So chainlake loads the file of
 * the addon: elliptic is installed but never loaded. chainlake holds no keys and signs nothing.
 */
export function loadAddon(module = 'secp256k1/bindings.js'): RecoverKey | null {
  const addon = required(module)
  if (addon === null) return null
  return (hash, signature, parity) => {
    try {
      return addon.ecdsaRecover(signature, parity, hash, false).subarray(1)
    } catch (error) {
      if (error instanceof Error && refusals.has(error.message)) return null
      throw error
    }
  }
}

/** Ignores every error: the WebAssembly library does the same work. */
function required(module: string): Addon | null {
  try {
    return createRequire(import.meta.url)(module)
  } catch {
    return null
  }
}

// Imports the module itself. The package's index compiles five WebAssembly programs and takes four times as long.

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

export const recoverPublicKey: RecoverKey = loadAddon() ?? (await loadLibrary())

/**
 * Returns the 64 bytes of the public key that made a signature, or null if no key can have made it. `signature` is r and s, 32 bytes each.
 * `parity` is the parity of the y coordinate of the point of r.
 */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, parity: 0 | 1) => Uint8Array | null
