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

/** Longer texts are created again each time. */
const longest = 2_048

/** The same for byte strings of any length that are few, such as certificates: each value lies in a place of its own, found by its end. */
export function remembered(text: (bytes: Uint8Array) => string): (bytes: Uint8Array) => string {
  const slots = 1 << 10
  const known = new Array<{ readonly key: Uint8Array; readonly text: string } | undefined>(slots).fill(undefined)
  return (bytes) => {
    const { length } = bytes
    const slot = ((bytes[length - 1]! << 4) ^ (bytes[length - 2] ?? 0)) & (slots - 1)
    const one = known[slot]
    if (one !== undefined && Buffer.compare(one.key, bytes) === 0) return one.text
    const made = text(bytes)
    // A copy: the container's memory is used again.
    if (length <= longest) known[slot] = { key: bytes.slice(), text: made }
    return made
  }
}
