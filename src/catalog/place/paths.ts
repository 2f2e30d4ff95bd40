import { ConfigError } from '../../errors.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { GivenStorage } from '../../store/given-storage.ts'
import type { Store } from '../../store/store.ts'
import type { Backend } from '../session/backend.ts'
import type { Session } from '../session/session.ts'

/** Where a lake lies: its folder, its catalog and its data files. All paths are absolute. */
export type LakePaths = {
  readonly lake: string
  /** The catalog: private, opened for each operation. */
  readonly catalog: string
  /** The copy of the catalog that readers attach. */
  readonly published: string
  readonly endpoint: CatalogEndpoint
  /** The data files. */
  readonly store: Store
  readonly locks: string
  /** Options of the user for the lake. */
  readonly given: GivenStorage
}

/** Where the catalog of a lake is, and what follows from it. */
export type CatalogEndpoint = {
  /** URL of the database, which may hold the tasks of workers, too; null for a catalog in the folder of the lake. */
  readonly url: string | null
  /** Whether the catalog is a file in the folder of the lake, so that whoever has the folder has the lake. */
  readonly inFolder: boolean
  /** Whether readers attach the copy that each publication writes. Otherwise they query the catalog itself. */
  readonly publishesCopy: boolean
  /** Whether there is a catalog. Throws if there is something else in its place. */
  readonly exists: (paths: LakePaths, stop?: AbortSignal) => Promise<boolean>
  /** Creates an empty catalog and calls `fill` to fill it. If another process was faster, its catalog stays. */
  readonly create: (paths: LakePaths, fill: (session: Session) => Promise<void>, stop?: AbortSignal) => Promise<void>
  /** Records in the folder of a lake where its catalog is, unless the folder holds it. `lakeId` reads the id of the lake. */
  readonly record: (lake: string, lakeId: () => Promise<string>) => Promise<void>
  /** Opens the backend. It does not connect yet. `stop` shortens all waits. */
  readonly open: (
    paths: LakePaths,
    options: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
  ) => Promise<Backend>
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
