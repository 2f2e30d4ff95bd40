import { createKeccak } from 'hash-wasm'

/** The WebAssembly module is compiled once. After that, hashing is synchronous. */
const hasher = await createKeccak(256)

/** Returns the 32-byte keccak-256 of `bytes`. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
