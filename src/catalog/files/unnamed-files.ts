import { inDataFolder } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'

export type UnnamedFile = {
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly bytes: number
}

/** Files under `data/` that the catalog does not reference. */
export async function findUnnamed(store: Store, named: ReadonlySet<string>): Promise<UnnamedFile[]> {
  const paths = (await store.list(inDataFolder(''))).filter((path) => !path.endsWith('/') && !named.has(path)).sort()
  const sizes = await store.sizes(paths)
  return paths.map((path, position) => ({ path, bytes: sizes[position] ?? 0 }))
}
