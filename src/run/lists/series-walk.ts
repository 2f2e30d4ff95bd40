import type { Page, Series, StreamDeclaration, Table } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import { versionHashes } from '../../lookup/row-identity.ts'
import type { Progress, Slice } from '../../model.ts'
import { normalise, subtract } from '../../plan/intervals.ts'
import { commitRows } from '../rows/commit-batch.ts'
import type { ListWalk } from '../rows/lake-run.ts'
import { createListBatch, type ListBatch } from '../rows/list-batch.ts'
import { listPages } from './list-pages.ts'
import { belowHole, earlyEnd, holeAbove, isBeyondRetention, timeAfter } from './list-times.ts'

type SeriesOptions = ListWalk<Series>

/**
 * Reads a series from its newest point down to the first gap above the known points, and reads the last known points again: changed points
 * become new versions. The series is committed only as a whole. Resolves to true when nothing was new.
 *
 * An end of the series above all known points is not believed: it is read once more. If it ends early again, its points are committed
 * without the range below them, and the walk throws `EarlyEndError`.
 */
export async function walkSeries(options: SeriesOptions): Promise<boolean> {
  const { stream, walk, run } = options
  const [name, table] = onlyTable(stream)
  const coverage = await run.catalog.coverage(stream.stream, [table.name])
  const covered = (coverage.get(table.name) ?? []).map(({ slice }) => slice)
  const { hole: recorded, ...known } = await knownPoints(options, table, covered)
  let read = await readDownTo(options, known.oldest)
  if (endsEarly(read, known.ends)) read = await readDownTo(options, known.oldest)
  const { pages, ended } = read
  const isEmpty = pages.every(({ items }) => items.length === 0)
  const isAccepted = recorded === 'accepted'
  const isBelieved = (isEmpty && isAccepted) || isBeyondRetention(known.ends, walk.retention)
  const isEarly = endsEarly(read, known.ends) && !isBelieved
  const hashed = versionHashes(stream.tables)
  const rows = pages.flatMap((page) => hashed(page.rows)[name] ?? [])
  const batch = await changedRows(options, name, rows)
  // The series was empty although points of it are known.
  const hole = !isEmpty ? null : isEarly ? 'open' : isAccepted ? 'accepted' : null
  const progress: Progress[] = [
    ...subtract(slicesOf(pages, ended && !isEarly, walk), covered).map((slice) => ({
      kind: 'slice' as const,
      slice,
      ends: null,
    })),
    ...(hole === recorded ? [] : [{ kind: 'stretches' as const, stretches: belowHole(hole, []) }]),
  ]
  const changed = batch.rows()
  if (changed + progress.length > 0) await commitRows(run, stream, batch, progress)
  if (isEarly) throw earlyEnd(walk.list, stream.stream, known.ends, pages.flatMap(({ items }) => items).length)
  return changed === 0
}

/**
 * What the lake has of a series. `oldest`: the point to read down to; null for the end of the series. `ends`: the series has points before
 * this time; null where none is known. `hole`: the series was empty although points of it are known.
 */
async function knownPoints({ stream, walk, run }: SeriesOptions, table: Table, covered: readonly Slice[]) {
  if (covered.length === 0) return { oldest: null, ends: null, hole: null }
  const gaps = (await run.catalog.acceptedGaps(stream.stream)).filter((gap) => gap.table === table.name)
  const believed = normalise([...covered, ...gaps.map(({ slice }) => slice)])
  const whole = believed.find(({ from, to }) => from <= walk.from && walk.from < to)
  const ends = believed.map(({ to }) => to).filter((to) => to > walk.from)
  return {
    oldest: whole === undefined ? null : timeAfter(whole.to, walk.interval, -walk.again),
    ends: ends.length === 0 ? null : Math.min(...ends),
    hole: holeAbove(await run.catalog.stretches(stream.stream)),
  }
}

/** Whether a series ended above all known points, which end at `known`. */
function endsEarly({ pages, ended }: { pages: readonly Page[]; ended: boolean }, known: number | null): boolean {
  return ended && known !== null && !pages.some(({ items }) => items.some(({ time }) => time !== null && time < known))
}

function onlyTable({ stream, tables }: StreamDeclaration): [string, Table] {
  const [first, ...others] = Object.entries(tables) as [string, Table][]
  if (first !== undefined && others.length === 0) return first
  throw new DefinitionError(`A series fills one table; ${stream.path} has ${others.length + 1}.`)
}

/** Pages from the newest point to a point before `oldest` (Unix seconds), or to the end of the series. */
async function readDownTo({ walk, run, context }: SeriesOptions, oldest: number | null) {
  let pages: Page[] = []
  const reading = { client: run.client, signal: run.stop, context, doubtsEnd: oldest === null }
  for await (const event of listPages(walk.list, reading)) {
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

/** A batch of the rows with other content than their latest version. */
async function changedRows({ stream, run }: SeriesOptions, name: string, rows: readonly object[]): Promise<ListBatch> {
  const batch = createListBatch(run, stream.tables)
  // One by one, from the last page on: a point may appear again on a later page with a new value.
  for (const row of rows.toReversed()) batch.add({ [name]: [row] as never })
  await batch.compare()
  return batch
}

/**
 * The slices without a missing point, up to one interval past their last point. A series that was read to its end has no points before its
 * oldest one.
 */
function slicesOf(pages: readonly Page[], ended: boolean, { from, interval }: Series): Slice[] {
  const times = pages.flatMap(({ items }) => items.flatMap(({ time }) => (time === null ? [] : [time])))
  const slices: Slice[] = []
  for (const time of times.sort((a, b) => a - b)) {
    const to = timeAfter(time, interval, 1)
    const last = slices.pop()
    if (last === undefined) slices.push({ from: ended ? Math.min(from, time) : time, to })
    // Points need not be on a grid: a point is missing where another one would fit in between.
    else if (time < timeAfter(last.to, interval, 1)) slices.push({ from: last.from, to })
    else slices.push(last, { from: time, to })
  }
  return slices
}
