import { createRequire } from 'node:module'
import type { RecoverKey } from './recover-key.ts'

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
