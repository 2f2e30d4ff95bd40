import type { Page, ReadingContext, Series, StreamDeclaration, Table } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import { keyText } from '../../lookup/key-text.ts'
import type { Progress, Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import { knownRows } from '../rows/known-rows.ts'
import type { ListRun } from '../rows/lake-run.ts'
import { createListUnit } from '../rows/list-unit.ts'
import { versionHashes } from '../rows/version-hashes.ts'
import { visibleFiles } from '../rows/visible-files.ts'
import { timeAfter } from './interval.ts'
import { listPages } from './list-pages.ts'

export type SeriesOptions = {
  readonly stream: StreamDeclaration
  readonly walk: Series
  readonly run: ListRun
  readonly context: () => ReadingContext
}

/**
 * Reads a series from its newest point down to the first gap above the known points, and reads the last known points again: changed points
 * become new versions. The series is committed only as a whole. Resolves to true when nothing was new.
 */
export async function walkSeries(options: SeriesOptions): Promise<boolean> {
  const { stream, walk, run } = options
  const [name, table] = onlyTable(stream)
  const coverage = await run.catalog.coverage(stream.stream, [table.name])
  const covered = (coverage.get(table.name) ?? []).map(({ slice }) => slice)
  const whole = covered.find(({ from, to }) => from <= walk.from && walk.from < to)
  const { pages, ended } = await readDownTo(
    options,
    whole === undefined ? null : timeAfter(whole.to, walk.interval, -walk.again),
  )
  const hashed = versionHashes(stream.tables)
  const rows = pages.flatMap((page) => hashed(page.rows)[name] ?? [])
  const { changed, basis } = await changedRows(run, table, rows)
  const [first = nothing, ...others] = subtract(stretchesOf(pages, ended, walk), covered).map(progressOf)
  if (changed.length === 0 && first.kind === 'none') return true
  const unit = createListUnit(run, stream.tables, 0, async () => ({ snapshotId: basis, files: [] }))
  // One by one: a point may appear again on a later page with a new value.
  for (const row of changed) unit.add({ [name]: [row] })
  await commitUnit(run, [table.name], unit, [
    { stream: stream.stream, progress: first, owner: 0 },
    ...others.map((progress, place) => ({ stream: stream.stream, progress, owner: place + 1 })),
  ])
  return changed.length === 0
}

function onlyTable({ stream, tables }: StreamDeclaration): [string, Table] {
  const [first, ...others] = Object.entries(tables) as [string, Table][]
  if (first !== undefined && others.length === 0) return first
  throw new DefinitionError(`A series fills one table; ${stream.path} has ${others.length + 1}.`)
}

/** Pages from the newest point to a point before `oldest` (Unix seconds), or to the end of the series. */
async function readDownTo({ walk, run, context }: SeriesOptions, oldest: number | null) {
  let pages: Page[] = []
  for await (const event of listPages(walk.list, { client: run.client, signal: run.stop, context })) {
    if ('restarted' in event) {
      pages = []
      continue
    }
    run.page()
    pages.push(event.page)
    const below = oldest !== null && event.page.items.some(({ time }) => time !== null && time < oldest)
    if (below && event.page.next !== null) return { pages, ended: false }
  }
  return { pages, ended: true }
}

/** The rows with other content than their latest version, and the snapshot that they were compared with. */
async function changedRows<R extends object>(run: ListRun, table: Table, rows: readonly R[]) {
  const keyOf = keyText(table)
  const { snapshotId, files } = await visibleFiles(run, table)
  const keyed = rows.map((row) => ({ key: keyOf(row), row }))
  const known = await knownRows(run.lookup, table, files, keyed)
  return { changed: keyed.filter((each) => !known.has(each)).map(({ row }) => row), basis: snapshotId }
}

/**
 * The slices without a missing point, up to one interval past their last point. A series that was read to its end has no points before its
 * oldest one.
 */
function stretchesOf(pages: readonly Page[], ended: boolean, { from, interval }: Series): Slice[] {
  const times = pages.flatMap(({ items }) => items.flatMap(({ time }) => (time === null ? [] : [time])))
  const stretches: Slice[] = []
  for (const time of times.sort((a, b) => a - b)) {
    const to = timeAfter(time, interval, 1)
    const last = stretches.pop()
    if (last === undefined) stretches.push({ from: ended ? Math.min(from, time) : time, to })
    // Points need not be on a grid: a point is missing where another one would fit in between.
    else if (time < timeAfter(last.to, interval, 1)) stretches.push({ from: last.from, to })
    else stretches.push(last, { from: time, to })
  }
  return stretches
}

function progressOf(slice: Slice): Progress {
  return { kind: 'slice', slice, ends: null }
}

const nothing: Progress = { kind: 'none' }
