import { createKeccak } from 'hash-wasm'

/** The WebAssembly module is compiled once. After that, hashing is synchronous. */
const hasher = await createKeccak(256)

/** Returns the 32-byte keccak-256 of `bytes`. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}

const length = 256

/** The Bloom filter of addresses and topics (yellow paper, 4.3.1). */
export function bloomOf(texts: readonly string[]): Uint8Array {
  const bloom = new Uint8Array(length)
  for (const text of texts) for (const { byte, bit } of bloomBits(text)) bloom[byte]! |= bit
  return bloom
}

/** The three bits that an address or topic sets in a Bloom filter: each in a byte, by its value. */
export function bloomBits(text: string): { readonly byte: number; readonly bit: number }[] {
  const hash = keccak256(Buffer.from(text.slice(2), 'hex'))
  return [0, 2, 4].map((at) => {
    const place = ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff
    return { byte: length - 1 - (place >> 3), bit: 1 << (place & 7) }
  })
}
