/** Calls a function once for each object. */
export function once<K extends object, T>(create: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, T>()
  return (key) => {
    if (!known.has(key)) known.set(key, create(key))
    return known.get(key) as T
  }
}
