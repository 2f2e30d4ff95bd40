/** Caches answers between the pages of a list, so that expensive lists are computed once for all pages. */
export type ListMemory<T> = {
  /** The cached list with this name for the same number of containers; otherwise caches and returns the result of `make`. */
  of(name: string, containers: number, make: () => readonly T[]): readonly T[]
}

const mostLists = 16

export function createListMemory<T>(): ListMemory<T> {
  const known = new Map<string, { readonly containers: number; readonly list: readonly T[] }>()
  return {
    of: (name, containers, make) => {
      const found = known.get(name)
      known.delete(name)
      const fresh = found !== undefined && found.containers === containers ? found : { containers, list: make() }
      known.set(name, fresh)
      if (known.size > mostLists) for (const oldest of [...known.keys()].slice(0, 1)) known.delete(oldest)
      return fresh.list
    },
  }
}
