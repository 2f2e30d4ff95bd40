import { resolve } from 'node:path'
import type { Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { createEmptyLake, findLake, lakeExists, verifyPlace } from './lake.ts'
import { type Catalog, type CatalogOptions, catalogOf } from './operations.ts'
import type { LakeLocation, LakePaths } from './place.ts'
import { checkVersions } from './schema.ts'
import type { Backend } from './session.ts'

/** The interface of this folder to the rest of the project. */

export type { FileSource } from './add-files.ts'
export type { Commit, OpenObservation, Staging } from './commit/commit.ts'
export type {
  CoverageRow,
  Covered,
  CoveredSlice,
  ListCounts,
  ReadCounts,
  StreamGap,
  TableExtent,
} from './commit/coverage.ts'
export type { BoundedFile, CoveredFiles, Inventory, InventoryFile, InventoryTable } from './commit/inventory.ts'
export type { Removal } from './commit/replace-files.ts'
export type { CatalogFiles, CatalogTable } from './files.ts'
export { hasCatalog, lakeExists, lakePaths, type RecordedFile, recordedFiles } from './lake.ts'
export type { SpendingAccount } from './limits.ts'
export type { Loss, NewLoss } from './lost-files.ts'
export { firstLost, lostText } from './lost-files.ts'
export type { Catalog, CatalogOptions, LakeAsOf } from './operations.ts'
export { openQueueDatabase, type QueueDatabase, type Statements } from './postgres/postgres-backend.ts'
export type { Measure, RunRecord } from './runs.ts'
export { streamTaken, type TaskCounts, taskQueue } from './runs.ts'
export type { LakeStatus, ListHole, ObservationStatus, StreamStatus, StretchStatus, TableStatus } from './status.ts'
export type { ChainAnchor, NetworkFacts, StreamFacts } from './streams.ts'
export { verifySameNetwork } from './streams.ts'
export { hasKeptBounds } from './tables.ts'
export type { Recovery, RegisteredRun, RegistrationOptions } from './upkeep.ts'

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
