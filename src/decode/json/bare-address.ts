const dash = 45

/** Returns an address as tables store it: bech32 without chain prefix, or 0x in lower case. */
export function bareAddress(address: string): string {
  if (address.charCodeAt(1) === dash) return address.slice(2)
  return address.startsWith('0x') ? address.toLowerCase() : address
}
