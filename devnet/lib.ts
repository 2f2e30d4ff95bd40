/** Bytes as hex without prefix. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** Bytes as hex with prefix. */
export function hex0x(bytes: Uint8Array): string {
  return `0x${hexOf(bytes)}`
}

/** The same function. It computes the value of each key once. */
export function remembered<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    known.set(key, made)
    return made
  }
}

/** Adds an item to the list of a key. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** The first position in a sorted list from which on the condition holds; the length of the list if it never does. */
export function firstWhere<T>(sorted: readonly T[], holds: (item: T) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(sorted[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
