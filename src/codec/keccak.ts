import { createKeccak } from 'hash-wasm'

/** Compiled once; from then on hashing is synchronous. */
const hasher = await createKeccak(256)

/** The 32-byte keccak-256 of `bytes`. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
