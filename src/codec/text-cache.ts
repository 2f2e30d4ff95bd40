/**
 * A function with a bounded memory of its texts, for byte strings of one length that come again: assets, chains, owners,
 * ids that one container makes and the next one names. Each value has one place, found by its bytes; a newer one
 * takes it over.
 */
export function cached(length: number, text: (bytes: Uint8Array) => string): (bytes: Uint8Array) => string {
  const slots = 1 << 13
  const keys = new Uint8Array(slots * length)
  const texts = new Array<string | undefined>(slots).fill(undefined)
  return (bytes) => {
    if (bytes.length !== length) return text(bytes)
    const slot = ((bytes[0]! << 8) ^ (bytes[5]! << 4) ^ bytes[length - 1]!) & (slots - 1)
    const start = slot * length
    const known = texts[slot]
    if (known !== undefined) {
      let i = 0
      while (i < length && keys[start + i] === bytes[i]) i++
      if (i === length) return known
    }
    const made = text(bytes)
    keys.set(bytes, start)
    texts[slot] = made
    return made
  }
}
