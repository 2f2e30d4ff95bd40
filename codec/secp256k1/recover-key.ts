/**
 * Returns the 64 bytes of the public key that made a signature, or null if no key can have made it. `signature` is r and s, 32 bytes each.
 * `parity` is the parity of the y coordinate of the point of r.
 */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, parity: 0 | 1) => Uint8Array | null
