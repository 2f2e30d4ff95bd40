import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openStore, storePlaceAt } from '../../store/store-kinds.ts'
import type { LakeLocation } from '../place/lake-location.ts'
import { type LakePaths, refuseQuestionMark } from '../place/paths.ts'
import { catalogEndpoint } from './catalog-kinds.ts'

/**
 * Where a lake lies, without reading its catalog: the store is that of files in its folder; see `findLake`.
 *
 * @throws ConfigError for a path that DuckDB cannot write to, and `lake.catalog`.
 */
export function lakePaths({ folder, ...given }: LakeLocation): LakePaths {
  const lake = resolve(folder)
  refuseQuestionMark(lake)
  return {
    lake,
    catalog: join(lake, 'catalog.ducklake'),
    published: join(lake, 'lake.ducklake'),
    endpoint: catalogEndpoint(lake, given),
    store: openStore(storePlaceAt(lake, null, given)),
    locks: join(lake, 'locks'),
    given,
  }
}

/**
 * Whether the folder, or the database of its catalog, holds a lake.
 *
 * @throws StorageError when the path is not a folder; ConfigError when the folder contains other files but no catalog.
 */
export async function lakeExists(location: LakeLocation, stop?: AbortSignal): Promise<boolean> {
  const paths = lakePaths(location)
  return paths.endpoint.exists(paths, stop)
}

/** Whether the lake has a catalog, regardless of its other files. A folder may hold the views alone. */
export function hasCatalog({ endpoint, catalog }: LakePaths): boolean {
  return !endpoint.inFolder || existsSync(catalog)
}
