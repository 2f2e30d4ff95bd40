import { join, resolve } from 'node:path'
import { ConfigError } from '../../errors.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { Store, StorePlace } from '../../store/store.ts'
import { openStore, storePlaceAt } from '../../store/store-kinds.ts'

/** The paths of a lake; all absolute. */
export type LakePaths = {
  readonly lake: string
  /** The catalog: private, opened for each operation. */
  readonly catalog: string
  /** The copy of the catalog that readers attach. */
  readonly published: string
  /** The data files. */
  readonly store: Store
  readonly locks: string
}

/** `place` is the result of `findPlace`; omit it if the data files are not needed. ConfigError for a path that DuckDB cannot write to. */
export function lakePaths(lakeDir: string, place?: StorePlace): LakePaths {
  const lake = resolve(lakeDir)
  refuseQuestionMark(lake)
  return {
    lake,
    catalog: join(lake, 'catalog.ducklake'),
    published: join(lake, 'lake.ducklake'),
    store: openStore(place ?? storePlaceAt(lake, null, {})),
    locks: join(lake, 'locks'),
  }
}

/** DuckDB treats a question mark in a path like the one in a URL and inserts `.wal` in front of it. All other characters work. */
export function refuseQuestionMark(path: string): void {
  if (!path.includes('?')) return
  throw new ConfigError('The path of a lake or of a backup must not contain a question mark.', {
    code: 'lake.path',
    details: { path },
    hint: 'DuckDB treats the rest of the path as the query of a URL. Rename the folder, or choose another one.',
  })
}

/** The base of the paths in the catalog: absolute, with `/` at the end. */
export function dataPath(paths: LakePaths): string {
  return paths.store.address(inDataFolder('')).replaceAll('\\', '/')
}
