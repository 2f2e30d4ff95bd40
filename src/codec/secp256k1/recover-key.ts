/**
 * The 64 bytes of the public key that made a signature, or null when no key can have made it. `signature`: r and s, 32 bytes each;
 * `parity`: that of the y of r's point.
 */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, parity: 0 | 1) => Uint8Array | null
