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

/** `0x` and lower-case hex. */
export function hexText(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}
