/** The items by their keys; keys and items keep their order. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** A `Map` or a `WeakMap`. */
type KeyedValues<K, V> = { readonly get: (key: K) => V | undefined; readonly set: (key: K, value: V) => unknown }

/** The value of a key. If the map has none, it keeps the one that `create` returns. */
export function getOrCreate<K, V>(map: KeyedValues<K, V>, key: K, create: () => V): V {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}

/** Splits a list, in its order, into pieces of at most `size` items. */
export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))
}

/** The entries of an object that are not undefined, for parameters that may be left out. */
export function definedOf<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given & object
}

export function sumOf<N extends string>(items: readonly { readonly [name in N]: number }[], name: N): number {
  return items.reduce((sum, item) => sum + item[name], 0)
}
