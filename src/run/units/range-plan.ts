import type { Catalog, CoverageRow, Covered } from '../../catalog/catalog.ts'
import type { Range, RangeSource, Table, Tables } from '../../define/index.ts'
import { type Slice, type Stream, streamId, type Unit } from '../../model.ts'
import { countOf, intersect } from '../../plan/intervals.ts'
import { type MissingSlice, type Plan, planUnits, unitsOf } from '../../plan/units.ts'
import type { Reading } from './ordered-windows.ts'
import { boundsOf, type TimeBound } from './range-bounds.ts'
import { verifyCommittedEnds } from './verify-committed-ends.ts'

/** A stream with an open source, ready for the walk. */
export type RangeMember<R = any> = {
  readonly stream: Stream
  readonly tables: Tables
  readonly walk: Omit<Range<R>, 'kind' | 'source' | 'endpoint'> & Partial<Pick<Range<R>, 'endpoint'>>
  readonly source: RangeSource<R>
  /** A commit that is not cut by coordinates holds at most this many records. */
  readonly mostRecords?: number
}

/** What the run reads for a unit. It may begin below the slice of the unit and end beyond it. */
export type RangeReading<R = any> = Reading<R> & {
  readonly member: RangeMember<R>
  readonly unit: Unit
  /** The coverage of other streams that overlaps its slice and may have the same rows. */
  readonly overlapping: readonly CoverageRow[]
  /** Whether the unit begins where another unit of the plan ends. */
  readonly followsUnit: boolean
  /** The reading that this one is a step of. */
  readonly partOf?: RangeReading<R>
}

export type RangePlan<R = any> = {
  readonly member: RangeMember<R>
  readonly plan: Plan
  /** The bounds that are times, with the records that were found. */
  readonly times: readonly TimeBound[]
  /** Whether its units are plain: the run neither compares their rows with the lake nor reads any rows again. */
  readonly isPlain: boolean
  /** Whether the plan ends where the walk does, so that a later plan can have no more. */
  readonly isLast: boolean
  /** Number of threads that share the plan. */
  readonly threads: number
  /** The readings in ascending order; each is created when the caller takes it. */
  readonly readings: () => Iterable<RangeReading<R>>
}

export function tableNames({ tables }: Pick<RangeMember, 'tables'>): string[] {
  return (Object.values(tables) as Table[]).map(({ name }) => name)
}

type PlanOptions = {
  /** Number of threads that share this many coordinates, if their units are plain. */
  readonly threadsFor?: (coordinates: number) => number
  readonly signal?: AbortSignal
}

/**
 * Plans the missing part of a stream's range, up to the head of its source; nothing when the head is null. First it compares the committed
 * rows with the source: see `verifyCommittedEnds`.
 */
export async function planRange<R>(
  member: RangeMember<R>,
  { own, overlapping }: Covered,
  head: number | null,
  { threadsFor = () => 1, signal }: PlanOptions = {},
): Promise<RangePlan<R>> {
  const { stream, walk, source } = member
  if (head !== null) await verifyCommittedEnds(walk, source, [...own.values()].flat(), head, signal)
  const slices = new Map([...own].map(([table, covered]) => [table, covered.map(({ slice }) => slice)]))
  const holding = (walk.within ?? []).map(streamId)
  for (const { stream, table, slice } of overlapping)
    if (holding.includes(stream)) slices.set(table, [...(slices.get(table) ?? []), slice])
  const { times, ...bounds } = await boundsOf(walk, source, head, signal)
  const wanted = wantedSlice({ ...bounds, from: Math.max(bounds.from, source.begins?.().at ?? 0) }, head ?? -1)
  const longest = walk.unit ?? Number.MAX_SAFE_INTEGER
  const whole = planUnits({ stream, wanted, unit: longest, coverage: slices, tables: tableNames(member) })
  const isPlain = hasPlainUnits(walk, whole, overlapping)
  const coordinates = countOf(whole.missing.map(({ slice }) => slice))
  const threads = isPlain ? threadsFor(coordinates) : 1
  const plan = { ...whole, unit: Math.min(longest, unitLength(coordinates, threads)) }
  const starts = new Set(plan.missing.map(({ slice }) => slice.from))
  return {
    member,
    plan,
    times,
    isPlain,
    isLast: bounds.to !== null && bounds.to <= (head ?? -1) + 1,
    threads,
    *readings() {
      for (const unit of unitsOf(plan)) {
        const read = readSlice(unit, { ...walk, ...bounds }, wanted, slices)
        const followsUnit = !starts.has(unit.slice.from)
        yield { member, source, unit, read, overlapping: overlapping.filter((row) => overlaps(unit, row)), followsUnit }
      }
    },
  }
}

/** Each of several threads gets at least this many units, so that no thread has much left when the others are done. */
const unitsPerThread = 4
/** Lengths of units are multiples of this many coordinates, which a source gives at once. */
const unitStep = 1024

function unitLength(coordinates: number, threads: number): number {
  if (threads === 1) return Number.MAX_SAFE_INTEGER
  return Math.max(1, Math.floor(coordinates / (threads * unitsPerThread * unitStep))) * unitStep
}

function hasPlainUnits(
  { unit, rows, order, trailing = 0, beyond = 0 }: Pick<Range, 'unit' | 'rows' | 'order' | 'trailing' | 'beyond'>,
  { missing }: Plan,
  overlapping: readonly CoverageRow[],
): boolean {
  // Containers in the order of a node are looked up in the lake.
  if (unit === null || order === 'node' || rows !== undefined || trailing > 0 || beyond > 0) return false
  return !missing.some((slice) => overlapping.some((row) => overlaps(slice, row)))
}

/** The slices that the lake already covers of the tables of streams, and the coverage of overlapping streams; none without a lake. */
export async function coveredOf(
  catalog: Pick<Catalog, 'coverages'> | null,
  members: readonly Omit<RangeMember, 'source'>[],
): Promise<(member: Pick<RangeMember, 'stream' | 'tables'>) => Covered> {
  const streams = members.map(({ stream, walk }) => ({ stream, overlapping: walk.overlapping ?? [] }))
  const tables = [...new Set(members.flatMap(tableNames))]
  const known = (await catalog?.coverages(streams, tables)) ?? new Map<string, Covered>()
  return ({ stream, tables }) => {
    const { own, overlapping } = known.get(streamId(stream)) ?? { own: new Map(), overlapping: [] }
    return { own: new Map(tableNames({ tables }).map((name) => [name, own.get(name) ?? []])), overlapping }
  }
}

function overlaps({ slice, tables }: MissingSlice, row: CoverageRow): boolean {
  return tables.includes(row.table) && row.slice.from < slice.to && slice.from < row.slice.to
}

type Bounds = { readonly from: number; readonly to: number | null }

/**
 * The slice that a walk wants from a source with `head` as its last coordinate; empty when `head` lies before `from`. It never ends beyond
 * the last integer that a number holds exactly.
 */
function wantedSlice({ from, to }: Bounds, head: number): Slice {
  return { from, to: Math.max(from, Math.min(to ?? head + 1, head + 1, Number.MAX_SAFE_INTEGER)) }
}

/** The slice of a unit, extended below it and beyond the head, because rows may appear late or early. */
function readSlice(
  { slice, tables }: Unit,
  { from, to, trailing = 0, beyond = 0 }: Bounds & Pick<Range, 'trailing' | 'beyond'>,
  wanted: Slice,
  coverage: ReadonlyMap<string, readonly Slice[]>,
): Slice {
  const end =
    slice.to === wanted.to ? Math.max(slice.to, Math.min(slice.to + beyond, to ?? Number.MAX_SAFE_INTEGER)) : slice.to
  if (trailing === 0) return { from: slice.from, to: end }
  const [first = [], ...others] = tables.map((table) => coverage.get(table) ?? [])
  const covered = others.reduce((common, slices) => intersect(common, slices), first)
  const before = covered.find((known) => known.to === slice.from)
  const begin = before === undefined ? slice.from : Math.max(before.from, from, slice.from - trailing)
  return { from: begin, to: end }
}
