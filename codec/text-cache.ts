/**
 * Wraps `text` in a bounded cache for byte strings of one length that repeat: assets, chains, owners, and ids that one container creates
 * and the next one names. The bytes determine the slot of a value. A newer value replaces an older one in the same slot.
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

/** Longest byte string in the cache, in bytes. The texts of longer ones are computed each time. */
const longest = 2_048

/** Like `cached`, for a few byte strings of any length, such as certificates. The last bytes determine the slot of a value. */
export function remembered(text: (bytes: Uint8Array) => string): (bytes: Uint8Array) => string {
  const slots = 1 << 10
  const known = new Array<{ readonly key: Uint8Array; readonly text: string } | undefined>(slots).fill(undefined)
  return (bytes) => {
    const { length } = bytes
    const slot = ((bytes[length - 1]! << 4) ^ (bytes[length - 2] ?? 0)) & (slots - 1)
    const one = known[slot]
    if (one !== undefined && Buffer.compare(one.key, bytes) === 0) return one.text
    const made = text(bytes)
    // A copy, because the container's memory is reused.
    if (length <= longest) known[slot] = { key: bytes.slice(), text: made }
    return made
  }
}
