import { createRequire } from 'node:module'
import type { RecoverKey } from './recover-key.ts'

/** The part of the package `secp256k1` that is used here; it has no types of its own. */
type Addon = {
  ecdsaRecover(signature: Uint8Array, parity: number, hash: Uint8Array, compressed: false): Uint8Array
}

/** What it says of signatures that no key can have made. */
const refusals: ReadonlySet<unknown> = new Set(['Signature could not be parsed', 'Public key could not be recover'])

/**
 * libsecp256k1 as a native addon: a third of the time that WebAssembly takes. Null where the optional dependency is not installed or
 * has nothing for this platform. The package's index would load the package elliptic then, which is ten times slower and has an open
 * advisory (GHSA-848j-6mx2-7j84, all versions: wrong signatures that may reveal the key). So the addon is loaded by its own file:
 * elliptic is installed and never loaded. chainlake holds no keys and signs nothing.
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

/** Whatever keeps an addon from being loaded, the library does the same. */
function required(module: string): Addon | null {
  try {
    return createRequire(import.meta.url)(module)
  } catch {
    return null
  }
}
