import { resolve } from 'node:path'
import type { Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import type { CatalogOptions } from './catalog-options.ts'
import { createEmptyLake } from './lake/create-lake.ts'
import { findLake, verifyPlace } from './lake/find-lake.ts'
import { lakeExists } from './lake/lake-paths.ts'
import { type Catalog, catalogOf } from './operations.ts'
import type { LakeLocation } from './place/lake-location.ts'
import type { LakePaths } from './place/paths.ts'
import { checkVersions } from './schema/versions.ts'
import type { Backend } from './session/backend.ts'

/** Creates a lake in an empty or missing folder, or opens the existing lake. */
export async function createLake(
  lake: LakeLocation,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  await createEmptyLake(lake)
  return openCatalog(lake, tables, options)
}

/** Opens an existing lake; `tables` are all declared tables. Throws if this version of chainlake does not know the version of the catalog. */
export async function openCatalog(
  lake: LakeLocation,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  if (!(await lakeExists(lake)))
    throw new ConfigError('The lake does not exist.', {
      code: 'lake.missing',
      details: { folder: resolve(lake.folder) },
      hint: 'Set --lake to the folder of a lake, or create one with chainlake run.',
    })
  const { paths, backend } = await openLake(lake, options)
  return openCatalogOf(backend, paths, tables, options)
}

/** Opens an existing lake without reading its catalog. The first operation makes the checks of `openCatalog`. */
export async function catalogOfLake(
  lake: LakeLocation,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  const { paths, backend } = await openLake(lake, options)
  return catalogOf(backend, paths, tables, options)
}

/** Opens the catalog of a lake in the given backend. */
export async function openCatalogOf(
  backend: Backend,
  paths: LakePaths,
  tables: readonly Table[],
  options: Omit<CatalogOptions, 'waitMs'> = {},
): Promise<Catalog> {
  await backend.read(
    async (session) => {
      await checkVersions(session, backend.name)
      await verifyPlace(session, paths)
    },
    { stop: options.stop },
  )
  return catalogOf(backend, paths, tables, options)
}

async function openLake(lake: LakeLocation, { waitMs = 60_000, stop }: CatalogOptions) {
  const paths = await findLake(lake, { waitMs, stop })
  return { paths, backend: await paths.endpoint.open(paths, { waitMs, stop }) }
}
