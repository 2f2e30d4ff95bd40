import { resolve } from 'node:path'
import type { Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import type { CatalogOptions } from './catalog-options.ts'
import { createEmptyLake } from './lake/create-lake.ts'
import { findLake, verifyPlace } from './lake/find-lake.ts'
import { lakeExists } from './lake/lake-paths.ts'
import { type Catalog, catalogOf } from './operations.ts'
import type { LakePaths } from './place/paths.ts'
import { checkVersions } from './schema/versions.ts'
import type { Backend } from './session/backend.ts'

/** Creates a lake in an empty or missing folder, or opens the existing lake. */
export async function createLake(
  lakeDir: string,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  await createEmptyLake(lakeDir)
  return openCatalog(lakeDir, tables, options)
}

/** Opens an existing lake; `tables` are all declared tables. Throws if this version of chainlake does not know the version of the catalog. */
export async function openCatalog(
  lakeDir: string,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  if (!(await lakeExists(lakeDir)))
    throw new ConfigError('The lake does not exist.', {
      code: 'lake.missing',
      details: { folder: resolve(lakeDir) },
      hint: 'Set --lake to the folder of a lake, or create one with chainlake run.',
    })
  const { paths, backend } = await openLake(lakeDir, options)
  return openCatalogOf(backend, paths, tables, options)
}

/** Opens an existing lake without reading its catalog. The first operation makes the checks of `openCatalog`. */
export async function catalogOfLake(
  lakeDir: string,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  const { paths, backend } = await openLake(lakeDir, options)
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

async function openLake(lakeDir: string, { waitMs = 60_000, stop }: CatalogOptions) {
  const paths = await findLake(lakeDir, { waitMs, stop })
  return { paths, backend: await paths.endpoint.open(paths, { waitMs, stop }) }
}
