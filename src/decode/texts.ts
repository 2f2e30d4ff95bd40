import { addressText } from '../../codec/bech32.ts'
import { cached } from '../../codec/text-cache.ts'

/** Returns bech32 texts of addresses without chain prefix. */
export function addressTexts(hrp: string, addresses: readonly Uint8Array[]): string[] {
  const texts: string[] = []
  for (const address of addresses) texts.push(addressText(hrp, address))
  return texts
}

/** `0x` and lower-case hex of repeated hashes (32 bytes) and addresses (20 bytes). */
export const repeatedHashText = cached(32, hexText)
export const repeatedAddressText = cached(20, hexText)

const scratch = Buffer.alloc(256)

/** Returns `0x` and lower-case hex. */
export function hexText(bytes: Uint8Array): string {
  const { length } = bytes
  if (length > scratch.length) return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex')}`
  // Creating a buffer over the same bytes takes longer than copying them.
  scratch.set(bytes)
  return `0x${scratch.toString('hex', 0, length)}`
}
