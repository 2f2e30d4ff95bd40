import { join, resolve } from 'node:path'
import { ConfigError } from '../../errors.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store, StorePlace } from '../../store/store.ts'

/** Where what belongs to a lake lies; absolute paths. */
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

/** `place`: see `findPlace`; without, what needs no files. Throws `ConfigError` for a path that DuckDB cannot write below. */
export function lakePaths(lakeDir: string, place?: StorePlace): LakePaths {
  const lake = resolve(lakeDir)
  refuseQuestionMark(lake)
  return {
    lake,
    catalog: join(lake, 'catalog.ducklake'),
    published: join(lake, 'lake.ducklake'),
    store: openStore(place ?? { kind: 'folder', lake }),
    locks: join(lake, 'locks'),
  }
}

/** All other characters work: DuckDB puts the name of a write-ahead file before a question mark, as in a web address. */
export function refuseQuestionMark(path: string): void {
  if (!path.includes('?')) return
  throw new ConfigError('The path of a lake or of a backup cannot hold a question mark.', {
    code: 'lake.path',
    details: { path },
    hint: 'DuckDB takes what follows it for a part of a web address. Rename the folder, or choose another one.',
  })
}

/** Where the paths of the catalog begin: absolute, with `/` at the end. */
export function dataPath(paths: LakePaths): string {
  return paths.store.address(inDataFolder('')).replaceAll('\\', '/')
}
