import type { Page, ReadingContext, Series, ServiceStream, Table } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { keyText } from '../lookup/key-text.ts'
import { versionHash } from '../lookup/version-hash.ts'
import type { Progress } from '../model.ts'
import { commitUnit, visibleFiles } from './commit-unit.ts'
import type { ServiceRun } from './lake-run.ts'
import { listPages } from './list-pages.ts'
import { createListUnit } from './list-unit.ts'

export type SeriesOptions = {
  readonly stream: ServiceStream
  readonly walk: Series
  readonly run: ServiceRun
  readonly context: () => ReadingContext
}

type VersionRow = { version_hash: string }

/**
 * Reads a series from its newest point down to the newest committed ones, of which the last few are read again: points that changed
 * become new versions. Committed only whole, so that there is never a hole below the newest point. Resolves to true when
 * nothing was new.
 */
export async function walkSeries(options: SeriesOptions): Promise<boolean> {
  const { stream, walk, run } = options
  const [name, table] = onlyTable(stream)
  const coverage = await run.catalog.coverage(stream.stream, [table.name])
  const end = coverage.get(table.name)?.at(-1)?.slice.to ?? null
  const pages = await readDownTo(options, end === null ? null : end - walk.again * walk.interval)
  const rows = pages.flatMap((page) => page.rows[name] as VersionRow[])
  const { changed, basis } = await changedRows(run, table, rows)
  const progress = progressOf(pages, end, walk.interval)
  if (changed.length === 0 && progress.kind === 'none') return true
  const unit = createListUnit(run, stream.tables, 0, async () => ({ snapshotId: basis, files: [] }))
  unit.add({ [name]: changed })
  await commitUnit(run, [table.name], unit, [{ stream: stream.stream, progress, owner: 0 }])
  return changed.length === 0
}

function onlyTable({ stream, tables }: ServiceStream): [string, Table] {
  const [first, ...others] = Object.entries(tables) as [string, Table][]
  if (first !== undefined && others.length === 0) return first
  throw new DefinitionError(`A series fills one table; ${stream.path} has ${others.length + 1}.`)
}

/** Pages from the newest point to one that lies below `oldest` (Unix seconds), or to the end of the series. */
async function readDownTo({ walk, run, context }: SeriesOptions, oldest: number | null): Promise<Page[]> {
  let pages: Page[] = []
  for await (const event of listPages(walk.list, { client: run.client, signal: run.stop, context })) {
    if ('restarted' in event) {
      pages = []
      continue
    }
    run.page()
    pages.push(event.page)
    if (oldest !== null && event.page.items.some(({ time }) => time !== null && time < oldest)) break
  }
  return pages
}

/** The rows whose content differs from their latest version, and the snapshot that they were compared with. */
async function changedRows(run: ServiceRun, table: Table, rows: readonly VersionRow[]) {
  const hashOf = versionHash(table)
  const keyOf = keyText(table)
  for (const row of rows) row.version_hash = hashOf(row)
  const { snapshotId, files } = await visibleFiles(run, table)
  const latest = await run.lookup.latestVersions({ table, files, keys: rows.map(keyOf) })
  return { changed: rows.filter((row) => latest.get(keyOf(row))?.hash !== row.version_hash), basis: snapshotId }
}

/** What is covered now that was not: from where coverage ends, or the oldest point, to one interval past the newest. */
function progressOf(pages: readonly Page[], end: number | null, interval: number): Progress {
  const times = pages.flatMap(({ items }) => items.flatMap(({ time }) => (time === null ? [] : [time])))
  if (times.length === 0) return { kind: 'none' }
  const from = end ?? times.reduce((least, time) => Math.min(least, time))
  const to = times.reduce((most, time) => Math.max(most, time)) + interval
  return to > from ? { kind: 'slice', slice: { from, to }, ends: null } : { kind: 'none' }
}
