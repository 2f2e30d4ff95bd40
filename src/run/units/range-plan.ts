import type { Catalog, CoverageRow, Covered } from '../../catalog/catalog.ts'
import type { Range, RangeSource, Table, Tables } from '../../define/index.ts'
import { type Slice, type Stream, streamId, type Unit } from '../../model.ts'
import { countOf, intersect } from '../../plan/intervals.ts'
import { type Lack, type Plan, planUnits, unitsOf } from '../../plan/units.ts'
import type { Reading } from './ordered-windows.ts'
import { verifySource } from './verify-source.ts'

/** A stream with an open source, as the engine walks it. */
export type RangeMember<R = any> = {
  readonly stream: Stream
  readonly tables: Tables
  readonly walk: Omit<Range<R>, 'kind' | 'source' | 'place'> & Partial<Pick<Range<R>, 'place'>>
  readonly source: RangeSource<R>
  /** A commit that is not cut by coordinates holds no more records than this. */
  readonly mostRecords?: number
}

/** What is to be read for a unit: it may begin below its slice and end beyond it. */
export type RangeReading<R = any> = Reading<R> & {
  readonly member: RangeMember<R>
  readonly unit: Unit
  /** What others cover of its slice that may have the same rows. */
  readonly overlapping: readonly CoverageRow[]
  /** Whether it begins where another unit of the plan ends. */
  readonly goesOn: boolean
}

export type RangePlan<R = any> = {
  readonly member: RangeMember<R>
  readonly plan: Plan
  /** Whether its units are plain: nothing that is read has to be compared with the lake, nor is read again. */
  readonly isPlain: boolean
  /** How many threads share it. */
  readonly threads: number
  /** In ascending order, each made when it is asked for. */
  readonly readings: () => Iterable<RangeReading<R>>
}

export function tableNames({ tables }: Pick<RangeMember, 'tables'>): string[] {
  return (Object.values(tables) as Table[]).map(({ name }) => name)
}

export type PlanOptions = {
  /** How many threads share so many coordinates, if they are plain. */
  readonly threadsFor?: (coordinates: number) => number
  readonly signal?: AbortSignal
}

/**
 * What a stream lacks of its range, up to the head of its source; nothing when that is null. What is committed is compared with the source
 * before: see `verifySource`.
 */
export async function planRange<R>(
  member: RangeMember<R>,
  { own, overlapping }: Covered,
  head: number | null,
  { threadsFor = () => 1, signal }: PlanOptions = {},
): Promise<RangePlan<R>> {
  const { stream, walk, source } = member
  if (head !== null) await verifySource(walk, source, [...own.values()].flat(), head, signal)
  const slices = new Map([...own].map(([table, covered]) => [table, covered.map(({ slice }) => slice)]))
  const holding = (walk.within ?? []).map(streamId)
  for (const { stream, table, slice } of overlapping)
    if (holding.includes(stream)) slices.set(table, [...(slices.get(table) ?? []), slice])
  const wanted = wantedSlice({ ...walk, from: Math.max(walk.from, source.begins?.()?.at ?? 0) }, head ?? -1)
  const longest = walk.unit ?? Number.MAX_SAFE_INTEGER
  const whole = planUnits({ stream, wanted, unit: longest, coverage: slices, tables: tableNames(member) })
  const isPlain = hasPlainUnits(walk, whole, overlapping)
  const coordinates = countOf(whole.lacks.map(({ slice }) => slice))
  const threads = isPlain ? threadsFor(coordinates) : 1
  const plan = { ...whole, unit: Math.min(longest, unitLength(coordinates, threads)) }
  const starts = new Set(plan.lacks.map(({ slice }) => slice.from))
  return {
    member,
    plan,
    isPlain,
    threads,
    *readings() {
      for (const unit of unitsOf(plan)) {
        const read = readSlice(unit, walk, wanted, slices)
        const goesOn = !starts.has(unit.slice.from)
        yield { member, source, unit, read, overlapping: overlapping.filter((row) => overlaps(unit, row)), goesOn }
      }
    },
  }
}

/** Units of several threads: each gets at least four, so that none is left with much when the others are done. */
const unitsPerThread = 4
/** Their lengths are multiples of this: what sources give at once. */
const unitStep = 1024

function unitLength(coordinates: number, threads: number): number {
  if (threads === 1) return Number.MAX_SAFE_INTEGER
  return Math.max(1, Math.floor(coordinates / (threads * unitsPerThread * unitStep))) * unitStep
}

function hasPlainUnits(
  { unit, rows, trailing = 0, beyond = 0 }: Pick<Range, 'unit' | 'rows' | 'trailing' | 'beyond'>,
  { lacks }: Plan,
  overlapping: readonly CoverageRow[],
): boolean {
  if (unit === null || rows !== undefined || trailing > 0 || beyond > 0) return false
  return !lacks.some((lack) => overlapping.some((row) => overlaps(lack, row)))
}

/** What the lake has already of streams that fill the same tables, and beside them; nothing where there is no lake. */
export async function coveredOf(
  catalog: Pick<Catalog, 'coverages'> | null,
  members: readonly Omit<RangeMember, 'source'>[],
): Promise<(member: Pick<RangeMember, 'stream'>) => Covered> {
  const tables = members[0] === undefined ? [] : tableNames(members[0])
  const streams = members.map(({ stream, walk }) => ({ stream, overlapping: walk.beside ?? [] }))
  const known = (await catalog?.coverages(streams, tables)) ?? new Map<string, Covered>()
  const none: Covered = { own: new Map(tables.map((table) => [table, []])), overlapping: [] }
  return ({ stream }) => known.get(streamId(stream)) ?? none
}

function overlaps({ slice, tables }: Lack, row: CoverageRow): boolean {
  return tables.includes(row.table) && row.slice.from < slice.to && slice.from < row.slice.to
}

/**
 * What a walk asks for of a source whose last coordinate is `head`; empty when that lies before `from`. One past the last integer that
 * is exact there is none.
 */
function wantedSlice({ from, to }: Pick<Range, 'from' | 'to'>, head: number): Slice {
  return { from, to: Math.max(from, Math.min(to ?? head + 1, head + 1, Number.MAX_SAFE_INTEGER)) }
}

/** The slice of a unit, and what is read again below it and beyond the head, since rows come late or early. */
function readSlice(
  { slice, tables }: Unit,
  { from, to, trailing = 0, beyond = 0 }: Pick<Range, 'from' | 'to' | 'trailing' | 'beyond'>,
  wanted: Slice,
  coverage: ReadonlyMap<string, readonly Slice[]>,
): Slice {
  const end = slice.to === wanted.to && to === null ? slice.to + beyond : slice.to
  if (trailing === 0) return { from: slice.from, to: end }
  const [first = [], ...others] = tables.map((table) => coverage.get(table) ?? [])
  const covered = others.reduce((common, slices) => intersect(common, slices), first)
  const before = covered.find((known) => known.to === slice.from)
  const begin = before === undefined ? slice.from : Math.max(before.from, from, slice.from - trailing)
  return { from: begin, to: end }
}
