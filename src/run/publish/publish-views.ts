import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { observations } from '../../../schemas/lake.ts'
import { builtInView } from '../../../schemas/views/index.ts'
import { type Catalog, openCatalog } from '../../catalog/catalog.ts'
import type { Moment } from '../../catalog/files.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { shownIn, timeColumnOf } from '../../declared/lake-tables.ts'
import type { DerivedView, Table } from '../../define/index.ts'
import { ConfigError, VerifyError } from '../../errors.ts'
import { sumOf } from '../../lib/arrays.ts'
import { reachStep } from '../../lib/step.ts'
import { givenTimeNs } from '../../lib/time.ts'
import type { LakeSnapshot, Loss } from '../../model.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import {
  addressAt,
  coverageQuery,
  lakeTablesQuery,
  parseViewsLocation,
  withoutUncertain,
} from '../../views/lake-scripts.ts'
import { buildViews, type ShownDeclarations, writeViewsFile } from '../../views/publish.ts'
import { publishedLocation, publishedViews } from '../../views/published-views.ts'
import { type Publishing, withOwner } from './publication.ts'

/** What the views show, and for which readers. */
type Shown = {
  /** An earlier state of the lake; by default the latest one. */
  readonly past?: Awaited<ReturnType<Catalog['asOf']>> | undefined
  /** Where readers find the lake; null: where it is. By default as in the last publication. */
  readonly location?: string | null | undefined
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
  const past = asOf === undefined ? undefined : await lakeAsOf(lake, asOf)
  return withOwner(lake, stop, async (publishing) => {
    await publishing.catalog.relocate()
    return publishLake(publishing, { past, location })
  })
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
  const { identity, extents, ...present } = await catalog.publishCopy({ stop, dataPath })
  const { files, tables, views: ownViews } = past ?? present
  const declared = shownIn(tables, ownViews)
  const shown = past === undefined ? withoutLost(declared, await catalog.losses()) : declared
  const filledViews = past === undefined ? viewsOfExtents(extents, declared) : viewsOfPast(past)
  const { store } = catalog
  const views = await buildViews({
    lakeDir,
    store,
    location,
    files,
    ...shown,
    filledViews,
    catalogCopy: identity,
    owner,
    stop,
  })
  const { snapshotId } = files.snapshot
  /** The snapshot that readers see then; null where another publication has just changed the location. */
  const replace = async (has: (snapshot: LakeSnapshot) => Promise<boolean>): Promise<number | null> => {
    const isSameLocation = (await publishedLocation(lakeDir)) === location
    if (options.location === undefined && !isSameLocation) return null
    const shown = await publishedViews(lakeDir)
    const isCopyReplaced = (await catalog.publishedCopy()) !== identity
    if (isCopyReplaced && shown !== null && shown.snapshotId >= snapshotId && (await has(shown)))
      return isSameLocation ? shown.snapshotId : null
    await views.replace()
    return snapshotId
  }
  let published: number | null
  try {
    stop.throwIfAborted()
    published = await catalog.exclusively(replace, { stop })
  } finally {
    await views.remove()
  }
  return published ?? publishLake(publishing, options)
}

/** The views that say what the lake has, from what the catalog knows. */
function viewsOfExtents(
  extents: Awaited<ReturnType<Catalog['tableExtents']>>,
  { tables, own }: ShownDeclarations,
): DerivedView[] {
  const ranges = [...extents.values()].flatMap((extent) => extent.ranges)
  const declared = [...tables, ...(own?.tables ?? [])]
  const shown = [...extents].flatMap(([name, { rows, newest, ranges }]) => {
    const table = declared.find((each) => each.name === name)
    return table === undefined ? [] : [{ name, rows, newestMicros: newest.get(timeColumnOf(table)), ranges }]
  })
  return [
    ...(ranges.length > 0 ? [{ ...builtInView('coverage'), query: coverageQuery(ranges) }] : []),
    ...listedTables(shown),
  ]
}

/** The same of an earlier snapshot: the catalog keeps only what is read now. */
function viewsOfPast({ files }: NonNullable<Shown['past']>): DerivedView[] {
  return listedTables(
    files.tables.flatMap(({ name, files: own }) => (own.length === 0 ? [] : [{ name, rows: sumOf(own, 'rows') }])),
  )
}

function listedTables(shown: Parameters<typeof lakeTablesQuery>[0]): DerivedView[] {
  if (shown.length === 0) return []
  const sorted = [...shown].sort((a, b) => (a.name < b.name ? -1 : 1))
  return [{ ...builtInView('lake_tables'), query: lakeTablesQuery(sorted) }]
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
function uncertainOf(tables: readonly Table[], losses: readonly Loss[]): Loss[] {
  return losses.flatMap((loss) => {
    if (loss.table !== observations.name) return [loss]
    return tables.flatMap(({ name, history }) => (history === 'observations' ? [{ ...loss, table: name }] : []))
  })
}

/** The id of a snapshot, or a time as `givenTimeNs` reads it. Throws ConfigError. */
export function parseMoment(text: string): Moment {
  if (/^\d{1,15}$/.test(text)) return { snapshotId: Number(text) }
  const ns = givenTimeNs(text)
  if (ns !== null) return { time: new Date(Number(ns / 1_000_000n)) }
  throw new ConfigError(`--as-of must be a snapshot or a time, not ${JSON.stringify(text)}.`, {
    code: 'config.as-of',
    hint: 'Use a snapshot number (chainlake status shows the current one), 2026-11-21 or 2026-11-21T10:35. A time without a zone is UTC.',
  })
}

/**
 * The files and declarations of a lake at a moment. All files still exist.
 *
 * @throws ConfigError `as-of.snapshot`; VerifyError `as-of.files` when one of them is gone.
 */
export async function lakeAsOf(lake: LakeLocation, moment: Moment, opened?: Catalog) {
  const catalog = opened ?? (await openCatalog(lake, declaredTables))
  const found = await catalog.asOf(moment)
  const { snapshot } = found.files
  const files = found.files.tables.flatMap((table) => table.files)
  const sizes = await catalog.store.sizes(files.map(({ path }) => path))
  const gone = files.filter((_, position) => (sizes[position] ?? null) === null)
  if (gone.length === 0) return found
  throw new VerifyError(
    `The lake cannot be shown as of snapshot ${snapshot.snapshotId}: some of its files are missing.`,
    {
      code: 'as-of.files',
      details: { lake: lake.folder, files: files.length, gone: gone.length, first: gone[0]?.path },
      hint: 'The files were removed. Choose a later snapshot; chainlake verify checks whether the current one is complete.',
    },
  )
}

/** Calls `use` with a temporary file of views that show the lake at a moment, and removes the file afterwards. */
export async function withLakeAsOf<T>(
  lake: LakeLocation,
  moment: Moment,
  use: (viewsFile: string) => Promise<T>,
): Promise<T> {
  const catalog = await openCatalog(lake, declaredTables)
  const past = await lakeAsOf(lake, moment, catalog)
  const folder = await mkdtemp(join(tmpdir(), 'chainlake-as-of-'))
  try {
    const file = join(folder, 'lake.duckdb')
    const { files, tables, views } = past
    const shown = { ...shownIn(tables, views), filledViews: viewsOfPast(past) }
    await writeViewsFile(file, { lakeDir: lake.folder, store: catalog.store, files, ...shown })
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
