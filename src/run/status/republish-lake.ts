import { tables as declaredTables } from '../../../schemas/index.ts'
import { openCatalog } from '../../catalog/catalog.ts'
import type { Moment } from '../../catalog/files/as-of.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { parseViewsLocation } from '../../views/location.ts'
import { publishLake } from '../publish/publish-lake.ts'
import { publishWhenBehind } from '../publish/publisher.ts'

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

type RepublishOptions = {
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
