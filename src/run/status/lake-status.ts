import { tables as declaredTables } from '../../../schemas/index.ts'
import { lakeExists, openCatalog, type SpendingAccount } from '../../catalog/catalog.ts'
import type { CatalogOptions } from '../../catalog/catalog-options.ts'
import type { Moment } from '../../catalog/files/as-of.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { parseViewsLocation } from '../../views/location.ts'
import { viewsHeader } from '../../views/published-views.ts'
import { publishLake, publishWhenBehind } from '../publish/publish-lake.ts'

/** The status of a lake: streams with coverage and gaps, tables with rows and bytes, last runs. */
export async function lakeStatus(lake: LakeLocation) {
  return (await openCatalog(lake, declaredTables)).status()
}

/**
 * The status of a lake with the snapshot that its views show, and the tasks of its workers. `viewsSnapshotId` is null where no views are,
 * and `tasks` when no tasks were ever queued.
 */
export async function lakeStatusWithTasks(lake: LakeLocation, options: CatalogOptions = {}) {
  const catalog = await openCatalog(lake, declaredTables, options)
  const viewsSnapshotId = (await viewsHeader(lake.folder))?.snapshotId ?? null
  return { ...(await catalog.status()), viewsSnapshotId, tasks: await catalog.tasks() }
}

/** Publishes the latest snapshot, unless it is already published. */
export async function publishLatest(lake: LakeLocation, stop: AbortSignal): Promise<void> {
  const catalog = await openCatalog(lake, declaredTables, { stop })
  const { id, release } = await catalog.own()
  try {
    await publishWhenBehind({ lakeDir: lake.folder, catalog, owner: id, stop })
  } finally {
    await release()
  }
}

/** Units of a service that runs on the lake have spent in the last 24 hours; 0 without a lake. */
export async function spentUnits(lake: LakeLocation, account: SpendingAccount): Promise<number> {
  return (await lakeExists(lake)) ? (await openCatalog(lake, declaredTables)).units.spent(account) : 0
}

export type RepublishOptions = {
  readonly stop?: AbortSignal
  readonly asOf?: Moment
  readonly location?: string | undefined
}

/**
 * Rewrites the views, their SQL text and the published catalog, for example after the lake was moved. With `asOf` the views show that moment;
 * the catalog does not change. `location` is the folder or URL where readers find the lake, which later publications keep; the folder of the
 * lake ends that. Returns the snapshot id. When `stop` is aborted, its reason or `LockedError` is thrown, and the views do not
 * change.
 */
export async function republishLake(
  lake: LakeLocation,
  { stop = new AbortController().signal, asOf, location: said }: RepublishOptions = {},
): Promise<number> {
  const location = said === undefined ? undefined : parseViewsLocation(said, lake.folder)
  const past = asOf === undefined ? undefined : await (await import('./lake-as-of.ts')).lakeAsOf(lake, asOf)
  const catalog = await openCatalog(lake, declaredTables, { stop })
  const { id, release } = await catalog.own()
  try {
    await catalog.relocate()
    return await publishLake({ lakeDir: lake.folder, catalog, owner: id, stop }, { past, location })
  } finally {
    await release()
  }
}
