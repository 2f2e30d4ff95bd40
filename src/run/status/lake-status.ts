import { tables as declaredTables } from '../../../schemas/index.ts'
import { openCatalog } from '../../catalog/catalog.ts'
import type { CatalogOptions } from '../../catalog/catalog-options.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { viewsHeader } from '../../views/published-views.ts'

/** The status of a lake: streams with coverage and gaps, tables with rows and bytes, last runs. */
export async function lakeStatus(lake: LakeLocation) {
  return (await openCatalog(lake, declaredTables)).status()
}

/**
 * The status of a lake with the snapshot that its views show, and the tasks of its workers. `viewsSnapshotId` is null where no views are,
 * and `tasks` when no tasks were ever queued. `newestTimes` reads the newest block time of each stream, which takes longer.
 */
export async function lakeStatusWithTasks(lake: LakeLocation, options: CatalogOptions = {}) {
  const catalog = await openCatalog(lake, declaredTables, options)
  const viewsSnapshotId = (await viewsHeader(lake.folder))?.snapshotId ?? null
  const { newestTimes } = catalog
  return { ...(await catalog.status()), viewsSnapshotId, tasks: await catalog.tasks(), newestTimes }
}
