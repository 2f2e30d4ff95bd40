import { addressText } from '../codec/bech32.ts'
import { cached } from '../codec/text-cache.ts'

/** Bech32 texts of addresses, without chain prefix. */
export function addressTexts(hrp: string, addresses: readonly Uint8Array[]): string[] {
  const texts: string[] = []
  for (const address of addresses) texts.push(addressText(hrp, address))
  return texts
}

/** `0x` and lower-case hex of hashes and of addresses that come again; 32 and 20 bytes. */
export const repeatedHashText = cached(32, hexText)
export const repeatedAddressText = cached(20, hexText)

const scratch = Buffer.alloc(256)

/** `0x` and lower-case hex. */
export function hexText(bytes: Uint8Array): string {
  const { length } = bytes
  if (length > scratch.length) return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex')}`
  // A buffer over the same bytes takes longer to make than they take to copy.
  scratch.set(bytes)
  return `0x${scratch.toString('hex', 0, length)}`
}
