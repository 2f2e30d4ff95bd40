import { observations } from '../../../schemas/observations.ts'
import { coverage } from '../../../schemas/views/coverage.ts'
import type { Catalog, LakeAsOf, Loss } from '../../catalog/catalog.ts'
import { shownIn } from '../../declared/lake-tables.ts'
import type { DerivedView, Table } from '../../define/index.ts'
import { reachStep } from '../../lib/step.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { coverageQuery } from '../../views/coverage-query.ts'
import { addressAt } from '../../views/location.ts'
import { buildViews, type ShownDeclarations } from '../../views/publish.ts'
import { publishedLocation, publishedViews } from '../../views/published-views.ts'
import { type UncertainVersions, withoutUncertain } from '../../views/uncertain-versions.ts'

export type Publishing = {
  readonly lakeDir: string
  readonly catalog: Catalog
  /** An id with a lock that this process holds. It owns the temporary files. */
  readonly owner: string
  /** Cancels publishing. Then its reason is thrown, or `LockedError` when another process holds the catalog. */
  readonly stop: AbortSignal
}

/** What the views show, and for which readers. */
type Shown = {
  /** An earlier state of the lake; by default the latest one. */
  readonly past?: LakeAsOf | undefined
  /** Where readers find the lake; null: where it is. By default as in the last publication. */
  readonly location?: string | null | undefined
}

/**
 * Updates `lake.ducklake`, `lake.duckdb` and `views.sql` to the latest snapshot at the time of the call. Runs that commit later publish their
 * own snapshots. Returns the id of the published snapshot: two runs may publish at once, and an earlier snapshot never replaces a later one
 * of the same catalog.
 */
export async function publishLake(publishing: Publishing, options: Shown = {}): Promise<number> {
  const { lakeDir, catalog, owner, stop } = publishing
  const { past } = options
  reachStep('publish.before')
  const location = options.location === undefined ? await publishedLocation(lakeDir) : options.location
  const dataPath = location === null ? null : addressAt(location, inDataFolder(''))
  const { identity, ranges, ...present } = await catalog.publishCopy({ stop, dataPath })
  const { files, tables, views: ownViews } = past ?? present
  const declared = shownIn(tables, ownViews)
  const shown = past === undefined ? withoutLost(declared, await catalog.losses()) : declared
  const views = await buildViews({
    lakeDir,
    store: catalog.store,
    location,
    files,
    ...shown,
    filledViews: past === undefined && ranges.length > 0 ? [{ ...coverage, query: coverageQuery(ranges) }] : [],
    catalogCopy: identity,
    owner,
    stop,
  })
  const { snapshotId } = files.snapshot
  const published = await catalog
    .exclusively(
      async (has) => {
        const isSameLocation = (await publishedLocation(lakeDir)) === location
        // Another publication has just changed the location.
        if (options.location === undefined && !isSameLocation) return null
        const shown = await publishedViews(lakeDir)
        const isCopyReplaced = (await catalog.publishedCopy()) !== identity
        if (isCopyReplaced && shown !== null && shown.snapshotId >= snapshotId && (await has(shown)))
          return isSameLocation ? shown.snapshotId : null
        await views.replace()
        return snapshotId
      },
      { stop },
    )
    .finally(views.remove)
  return published ?? publishLake(publishing, options)
}

/** The declarations with views that leave out uncertain versions. */
function withoutLost({ tables, derived, own }: ShownDeclarations, losses: readonly Loss[]): ShownDeclarations {
  const uncertain = uncertainOf([...tables, ...(own?.tables ?? [])], losses)
  const certain = (views: readonly DerivedView[]) => withoutUncertain(views, uncertain)
  return {
    tables,
    derived: certain(derived),
    ...(own === undefined ? {} : { own: { ...own, derived: certain(own.derived) } }),
  }
}

/** The tables with uncertain versions. If rows of `observations` are lost, no observation of the network is known to be the latest. */
function uncertainOf(tables: readonly Table[], losses: readonly Loss[]): UncertainVersions[] {
  return losses.flatMap((loss) => {
    if (loss.table !== observations.name) return [loss]
    return tables.flatMap(({ name, history }) => (history === 'observations' ? [{ ...loss, table: name }] : []))
  })
}
