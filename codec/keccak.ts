import { createKeccak } from 'hash-wasm'

/** The WebAssembly module is compiled once. After that, hashing is synchronous. */
const hasher = await createKeccak(256)

/** Returns the 32-byte keccak-256 of `bytes`. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}

const length = 256

/** The bloom filter of addresses and topics (yellow paper, 4.3.1): three bits for each text. */
export function bloomOf(texts: readonly string[]): Uint8Array {
  const bloom = new Uint8Array(length)
  for (const text of texts) {
    const hash = keccak256(Buffer.from(text.slice(2), 'hex'))
    for (const at of [0, 2, 4]) {
      const bit = ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff
      bloom[length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return bloom
}
