import { tables } from '../../../schemas/index.ts'
import { observations } from '../../../schemas/observations.ts'
import { derivedViews } from '../../../schemas/views/index.ts'
import type { Catalog, CatalogFiles, Loss } from '../../catalog/catalog.ts'
import { reachStep } from '../../lib/step.ts'
import type { LakeSnapshot } from '../../model.ts'
import { buildViews } from '../../views/publish.ts'
import { publishedViews } from '../../views/published-views.ts'
import { type UncertainVersions, withoutUncertain } from '../../views/uncertain-versions.ts'

export type Publishing = {
  readonly lakeDir: string
  readonly catalog: Catalog
  /** An id whose lock this process holds: whose the files are until they are in place. */
  readonly owner: string
  /** Ends it when it is aborted: its reason, or `LockedError` when the catalog is held, is then thrown. */
  readonly stop: AbortSignal
}

/**
 * Makes `lake.ducklake`, `lake.duckdb` and `views.sql` show the snapshot that is the latest when it begins; what another
 * run commits meanwhile is that run's to show. Returns the id of the snapshot that they show in the end: two runs may
 * publish at once, and a later snapshot of the same catalog is not replaced by an earlier one. With `past`, the views show those files.
 */
export async function publishLake({ lakeDir, catalog, owner, stop }: Publishing, past?: CatalogFiles): Promise<number> {
  reachStep('publish.before')
  const { files: present, identity } = await catalog.publishCopy({ stop })
  const files = past ?? present
  const views = await buildViews({
    lakeDir,
    store: catalog.store,
    files,
    tables,
    derived: past === undefined ? withoutUncertain(derivedViews, uncertainOf(await catalog.losses())) : derivedViews,
    catalogCopy: identity,
    owner,
    stop,
  })
  const { snapshotId } = files.snapshot
  try {
    return await catalog.exclusively(
      async (has) => {
        const shown = await publishedViews(lakeDir)
        const isCopyReplaced = (await catalog.publishedCopy()) !== identity
        if (isCopyReplaced && shown !== null && shown.snapshotId >= snapshotId && (await has(shown)))
          return shown.snapshotId
        await views.replace()
        return snapshotId
      },
      { stop },
    )
  } finally {
    await views.remove()
  }
}

/** Without the table that says which readings are complete, none of its network is known to be the latest. */
function uncertainOf(losses: readonly Loss[]): UncertainVersions[] {
  return losses.flatMap((loss) => {
    if (loss.table !== observations.name) return [loss]
    return tables.flatMap(({ name, history }) => (history === 'observations' ? [{ ...loss, table: name }] : []))
  })
}

/**
 * Publishes unless what is published shows the latest snapshot of this very catalog; returns null then. The catalog is asked for it unless
 * `latest` is shown, which was the latest one.
 */
export async function publishWhenBehind(publishing: Publishing, latest?: LakeSnapshot): Promise<number | null> {
  const { lakeDir, catalog, stop } = publishing
  const shown = await publishedViews(lakeDir)
  const isCurrent =
    shown !== null &&
    ((latest !== undefined && isSame(shown, latest)) || isSame(shown, await catalog.snapshot({ stop }))) &&
    shown.catalogCopy === (await catalog.publishedCopy())
  return isCurrent ? null : publishLake(publishing)
}

function isSame(a: LakeSnapshot, b: LakeSnapshot): boolean {
  return a.lakeId === b.lakeId && a.snapshotId === b.snapshotId && a.runId === b.runId
}
