import { availableParallelism } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { Catalog, CoverageRow, Covered, CoveredFiles, CoveredSlice } from '../../catalog/catalog.ts'
import type { Connection } from '../../define/connection.ts'
import type {
  Bound,
  Endpoint,
  Pipeline,
  Range,
  RangeSource,
  RecordTime,
  StreamDeclaration,
  Table,
  WindowSource,
} from '../../define/index.ts'
import { ConfigError, DecodeError } from '../../errors.ts'
import { getOrCreate, sumOf } from '../../lib/arrays.ts'
import { givenTimeNs } from '../../lib/time.ts'
import { pause } from '../../lib/wait.ts'
import { type Slice, type Stream, streamId, type Unit } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import { countOf, intersect, missingCount, type Plan, planSlices, slicesOfPlan } from '../../plan/intervals.ts'
import type { EmitEvent } from '../events.ts'
import { type JobMessage, replayFacts, revealUrls, withIds } from '../job.ts'
import type { RangeMember } from '../rows/lake-run.ts'
import { verifyCommittedEnds } from './slice-checks.ts'

/** Maximum number of windows that are in progress or wait for their turn. */
export function windowsAhead({ concurrency }: { readonly concurrency: number }): number {
  return concurrency + 1
}

/** A stream with its opened source. `underWay`: the maximum number of windows that are requested concurrently. */
export async function openMember(
  { stream, tables, walk }: StreamDeclaration<Range>,
  connection: (endpoint: Endpoint) => Connection,
  underWay: number,
): Promise<RangeMember> {
  return { stream, tables, walk, source: await walk.source(connection(walk.endpoint), { underWay }) }
}

type Options = {
  readonly pipelineOf: (job: PipelineName) => Pipeline | Promise<Pipeline>
  readonly connection: (endpoint: Endpoint) => Connection
  readonly urls: readonly string[]
  /** Maximum number of windows that are requested concurrently. */
  readonly underWay: number
}

/** Finds the streams that tasks name, and opens their sources. The streams of a job are created once. */
export function createMemberOpener({ connection, urls, underWay, pipelineOf }: Options) {
  type Members = ReadonlyMap<string, RangeMember>
  let open: { readonly job: JobMessage; readonly members: Promise<Members> } | null = null
  const membersOf = async ({ values, facts, ids, ...name }: JobMessage): Promise<Members> => {
    const pipeline = await pipelineOf(name)
    const members = new Map<string, RangeMember>()
    const known = revealUrls(values, urls) as typeof values
    for (const declared of await pipeline.streams(known, replayFacts(facts))) {
      const { stream, tables, walk } = withIds(declared, ids)
      if (walk.kind === 'range')
        members.set(streamId(stream), await openMember({ stream, tables, walk }, connection, underWay))
    }
    return members
  }
  return async ({ job, stream }: { readonly job: JobMessage; readonly stream: Stream }): Promise<RangeMember> => {
    if (open === null || !isDeepStrictEqual(open.job, job)) open = { job, members: membersOf(job) }
    const member = (await open.members).get(streamId(stream))
    if (member === undefined) throw missingStream(streamId(stream))
    return member
  }
}

/** A stream was planned, and its job does not have it: the task was changed, or the streams of a module are others now. */
export function missingStream(id: string): ConfigError {
  return new ConfigError(`The job has no stream ${id}, which was planned.`, {
    code: 'work.task',
    kind: 'lasting',
    hint: 'Plan again. The streams of a pipeline must depend on its parameters and facts only.',
  })
}

/** A slice that tables of a stream are missing, and what the run reads for it. */
export type PlannedSlice<R = any> = {
  readonly member: RangeMember<R>
  readonly slice: Slice
  /** The tables that do not cover it. */
  readonly tables: readonly string[]
  /** May begin below the slice and end beyond it. */
  readonly read: Slice
  readonly source: WindowSource<R>
  /** Read as one window, unless it is too large. */
  readonly isWindow?: true
  /** The request of the slice before it serves this one, too: it does not count as another one. */
  readonly sharesRequest?: boolean
  /** The coverage of other streams that overlaps it and may have the same rows. */
  readonly overlapping: readonly CoverageRow[]
  /** Whether it begins where another slice of the plan ends: the commit compares their blocks. */
  readonly follows: boolean
  /** The whole slice, where this one is a step of it: a part that is read from the lake, or one window. */
  readonly stepOf?: PlannedSlice<R>
}

export type RangePlan<R = any> = {
  readonly member: RangeMember<R>
  readonly plan: Plan
  /** The bounds that are times, with the records that were found. */
  readonly times: readonly TimeBound[]
  /** Whether the run neither compares the rows with the lake nor reads any rows again. */
  readonly isPlain: boolean
  /** Whether the plan ends where the walk does, so that a later plan can have no more. */
  readonly isLast: boolean
  readonly threads: number
  /** The slices in ascending order; each is created when the caller takes it. */
  readonly slices: () => Iterable<PlannedSlice<R>>
}

export function tableNames({ tables }: Pick<RangeMember, 'tables'>): string[] {
  return (Object.values(tables) as Table[]).map(({ name }) => name)
}

type PlanOptions = {
  /** Number of threads that share this many coordinates, if the plan is plain. */
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
  if (head !== null) await verifyCommittedEnds(member, [...own.values()].flat(), head, signal)
  const covered = new Map([...own].map(([table, known]) => [table, known.map(({ slice }) => slice)]))
  const holding = (walk.within ?? []).map(streamId)
  for (const { stream, table, slice } of overlapping)
    if (holding.includes(stream)) covered.set(table, [...(covered.get(table) ?? []), slice])
  const { times, ...bounds } = await boundsOf(walk, source, head, signal)
  const from = Math.max(bounds.from, source.begins?.().at ?? 0)
  const end = (head ?? -1) + 1
  // Empty when the head lies before `from`. It never ends beyond the last integer that a number holds exactly.
  const wanted = { from, to: Math.max(from, Math.min(bounds.to ?? end, end, Number.MAX_SAFE_INTEGER)) }
  const longest = walk.unit ?? Number.MAX_SAFE_INTEGER
  const whole = planSlices({ stream, wanted, unit: longest, coverage: covered, tables: tableNames(member) })
  const isPlain = isPlainPlan(walk, whole, overlapping)
  const coordinates = countOf(whole.missing.map(({ slice }) => slice))
  const threads = isPlain ? threadsFor(coordinates) : 1
  const plan = { ...whole, unit: Math.min(longest, sliceLength(coordinates, threads)) }
  const starts = new Set(plan.missing.map(({ slice }) => slice.from))
  return {
    member,
    plan,
    times,
    isPlain,
    isLast: bounds.to !== null && bounds.to <= end,
    threads,
    *slices() {
      for (const one of slicesOfPlan(plan)) {
        const { slice, tables } = one
        const read = readSlice(one, { ...walk, ...bounds }, wanted, covered)
        const others = overlapping.filter((row) => overlaps(one, row))
        yield { member, source, slice, tables, read, overlapping: others, follows: !starts.has(slice.from) }
      }
    },
  }
}

type ThreadWish = {
  /** The number that the user chose; undefined: chosen by the length of the range. */
  readonly threads: number | undefined
  /** Concurrent requests of the run. Each thread needs at least one. */
  readonly concurrency: number
}

/** Coordinates per thread. Each thread loads and compiles the code by itself, which does not pay off for a short range. */
const leastRequested = 2_048
const leastUsual = 65_536
const mostUsual = 4

/** How many threads share a range of this many coordinates. */
export function threadsFor(
  { threads, concurrency }: ThreadWish,
  coordinates: number,
  processors = availableParallelism(),
): number {
  const wanted =
    threads === undefined
      ? Math.min(processors, mostUsual, Math.floor(coordinates / leastUsual))
      : Math.min(threads, Math.floor(coordinates / leastRequested))
  return Math.max(1, Math.min(wanted, concurrency))
}

/** Each of several threads gets at least this many slices, so that no thread has much left when the others are done. */
const slicesPerThread = 4
/** Lengths of slices are multiples of this many coordinates, which a source gives at once. */
const sliceStep = 1024

function sliceLength(coordinates: number, threads: number): number {
  if (threads === 1) return Number.MAX_SAFE_INTEGER
  return Math.max(1, Math.floor(coordinates / (threads * slicesPerThread * sliceStep))) * sliceStep
}

function isPlainPlan(
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

function overlaps({ slice, tables }: Pick<PlannedSlice, 'slice' | 'tables'>, row: CoverageRow): boolean {
  return tables.includes(row.table) && row.slice.from < slice.to && slice.from < row.slice.to
}

type Bounds = { readonly from: number; readonly to: number | null }

/** A slice to fill, extended below it and beyond the head, because rows may appear late or early. */
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

/**
 * Finds the slices with records of members in a table of the lake, and the files that have them: a run reads them there, and requests nothing
 * for them. Reads the files of each table once, so that all are of one snapshot.
 */
export function createHeldFinder(catalog: Pick<Catalog, 'coveredFiles'> | null) {
  const known = new Map<string, Promise<CoveredFiles>>()
  return async ({ walk: { stored } }: Pick<RangeMember, 'walk'>) => {
    if (stored === undefined || catalog === null) return null
    const { table, column, isHeld } = stored
    const { coverage, files } = await getOrCreate(known, table.name, () => catalog.coveredFiles(table.name, column))
    return { slices: coverage.filter(isHeld).map(({ slice }) => slice), files }
  }
}

/** `isNew`: the source was asked for it now. */
type Head = { readonly at: number | null; readonly remark: string | null; readonly isNew: boolean }

/**
 * Requests heads, each once: sources that share requests have one, and so have those of one endpoint with the same `headOf`. `given`: the head of
 * all sources.
 */
export function createHeads(signal?: AbortSignal, given?: number) {
  const known = new Map<unknown, Promise<Head>>()
  type Headed = { readonly source: RangeSource<any>; readonly walk: Partial<Pick<Range, 'endpoint'>> }
  return async ({ source, walk }: Headed): Promise<Head> => {
    const origin =
      source.headOf === undefined ? (source.shared ?? source) : `${walk.endpoint?.url ?? ''} ${source.headOf}`
    const before = known.get(origin)
    if (before !== undefined) return { ...(await before), isNew: false }
    const requested = given === undefined ? source.head(signal) : Promise.resolve(given)
    const head = requested.then((at) => ({ at, remark: source.remark?.() ?? null, isNew: true }))
    known.set(origin, head)
    return head
  }
}

/** Reports why a range is empty, why it does not begin at the first record, and what is to be said about its head. */
export function reportHead({ source, walk }: RangeMember, { at, remark }: Head, emit: EmitEvent): void {
  if (at !== null) {
    for (const message of [source.begins?.().notice, remark])
      if (typeof message === 'string') emit({ kind: 'warning', message, once: true })
    return
  }
  const why = source.whyEmpty === undefined ? `There is nothing in ${walk.what} yet.` : source.whyEmpty()
  if (why !== null) emit({ kind: 'notice', message: why, once: true })
}

/** For an empty lake: bytes of Parquet per container of a public network, in all tables together. */
const usualBytesPerContainer = 350

/**
 * Estimates the bytes of Parquet that a plan would write, from the bytes per coordinate in the lake. `known`: whether the estimate is based on
 * rows of the stream in every table to be filled, or on the size of containers, which networks share.
 */
export function estimateBytes(
  plan: Plan,
  covered: ReadonlyMap<string, readonly Pick<CoveredSlice, 'slice' | 'bytes'>[]>,
  { record, counts }: Pick<Range, 'record' | 'counts'>,
): { readonly bytes: number; readonly known: boolean } {
  const isOfContainers = record === 'container' || counts === 'heights'
  let bytes = 0
  let known = true
  for (const [table, slices] of covered) {
    const missing = missingCount(plan, table)
    const length = slices.reduce((sum, { slice }) => sum + slice.to - slice.from, 0)
    if (missing > 0 && length === 0 && !isOfContainers) known = false
    const each = length === 0 ? usualBytesPerContainer / covered.size : sumOf(slices, 'bytes') / length
    bytes += missing * each
  }
  return { bytes: Math.ceil(bytes), known }
}

/** A walk with bounds, and what its messages name. */
type Bounded = Pick<Range, 'from' | 'to'> & Partial<Pick<Range, 'record' | 'what'>>
type Timed = Pick<RangeSource<any>, 'times' | 'begins' | 'shared'>

/** A bound that is a time, with the record that the run found for it; null while no record has this time or a later one. */
type TimeBound = { readonly time: string; readonly found: FoundTime | null }

type Counted = { readonly at: number; readonly time: TimeBound | null }

/**
 * Bounds that count from the end, by the first head that the run has seen, and bounds that are times. Later rounds of the run keep them: they
 * would otherwise leave out what was added while a source could not be reached, and search again.
 */
const counted = new WeakMap<object, Map<Bound, Counted>>()

type LastSearch = { readonly head: number; readonly found: Promise<FoundTime | null> }

/** The last search of each time in a source: streams that share requests share it too. */
const searches = new WeakMap<object, Map<string, LastSearch>>()

/**
 * The bounds of a walk as coordinates. `head` is the last coordinate of its source, null for none. A time that no record has reached yet leads to
 * the coordinate after the head, and for `to` to the head itself (null): a later round searches again. Throws `ConfigError` for a time where
 * the records of the source have none.
 */
export async function boundsOf(
  walk: Bounded,
  source: Timed,
  head: number | null,
  signal?: AbortSignal,
): Promise<Bounds & { readonly times: readonly TimeBound[] }> {
  const known = getOrCreate(counted, walk, () => new Map())
  const end = (head ?? -1) + 1

  async function count(bound: Bound): Promise<Counted> {
    if (typeof bound === 'number' && bound >= 0) return { at: bound, time: null }
    const before = known.get(bound)
    if (before !== undefined) return before
    const now = typeof bound === 'number' ? { at: Math.max(0, end + bound), time: null } : await timed(bound)
    if (head !== null && now.time?.found !== null) known.set(bound, now)
    return now
  }
  async function timed(time: string): Promise<Counted> {
    const found = await searchOnce(time, walk, source, head, signal)
    return { at: found?.at ?? end, time: { time, found } }
  }

  const from = await count(walk.from)
  const to = walk.to === null ? null : await count(walk.to)
  const times = [from, to].flatMap((bound) => bound?.time ?? [])
  return { from: from.at, to: to === null || to.time?.found === null ? null : to.at, times }
}

function searchOnce(
  time: string,
  walk: Bounded,
  source: Timed,
  head: number | null,
  signal: AbortSignal | undefined,
): Promise<FoundTime | null> {
  const ns = givenTimeNs(time)
  if (ns === null) throw noTime(time)
  if (source.times === undefined) throw withoutTimes(time, walk)
  if (head === null) return Promise.resolve(null)
  const own = getOrCreate(searches, source.shared ?? source, () => new Map())
  const last = own.get(time)
  if (last?.head === head) return last.found
  const found = findTime({ times: source.times, begins: source.begins?.().at ?? 0, head, ns, signal })
  own.set(time, { head, found })
  found.catch(() => own.delete(time))
  return found
}

function noTime(time: string): ConfigError {
  return new ConfigError(`${JSON.stringify(time)} is no time.`, {
    code: 'config.range',
    hint: 'Write a date such as 2026-01-31, or a time such as 2026-01-31T12:00 (UTC).',
  })
}

function withoutTimes(time: string, { what = 'the source', record = 'record' }: Bounded): ConfigError {
  return new ConfigError(`${time} cannot be a bound: ${what} does not say the time of a ${record}.`, {
    code: 'config.range',
    hint: `Give the number of the ${record}.`,
  })
}

type FoundTime = Awaited<ReturnType<typeof described>>

type Search = {
  readonly times: NonNullable<RangeSource<any>['times']>
  /** The first coordinate of the source. */
  readonly begins: number
  /** Its last coordinate. */
  readonly head: number
  /** Nanoseconds since 1970 UTC. */
  readonly ns: bigint
  /** Wait before a record that seems to be missing is requested again; it doubles. Default 500 ms. */
  readonly waitMs?: number
  readonly signal?: AbortSignal | undefined
}

/** How often a missing record is requested again: one of several nodes behind a URL may lag behind. */
const tries = 4
/** How often the search is repeated while answers differ. */
const rounds = 16
/** Records without a known time that are requested at once, at first and at most. */
const firstWindow = 16
const longestWindow = 512

/**
 * Finds the first record at or after a time, by binary search; null while there is none. A record without a known time counts as the nearest
 * one with a known time before it, or as the first one with a known time if there is none before it. A missing record counts as earlier.
 *
 * Where times decrease, the record found is one at which the time passes. The coordinates that the search compares do not depend on the head,
 * so that later runs find the same record: ranges that meet at a time neither overlap nor leave a gap.
 */
export async function findTime(search: Search): Promise<FoundTime | null> {
  const { begins, head } = search
  const known = createKnownTimes(search)
  if (head < begins) return null
  for (let round = 0; round < rounds; round++) {
    if ((await known.persistent(head)) === 'missing') return null
    const at = (await known.isEarlier(head, begins)) ? head + 1 : await lowest(search, known.isEarlier)
    // Another node has the record, or another time of it: the search is not finished before both sides of the bound are certain.
    const isCertain = (at === begins || (await known.confirmed(at - 1))) && (at > head || (await known.confirmed(at)))
    if (isCertain) return at > head ? null : await described(at, search, known)
  }
  throw contradictoryTimes(search)
}

function contradictoryTimes({ ns }: Search): DecodeError {
  return new DecodeError('The source gives different times for one record.', {
    code: 'decode.contradiction',
    details: { 'time of the bound': new Date(Number(ns / 1_000_000n)).toISOString() },
    hint: 'Nothing was read. The URL may serve two chains, for example a load balancer over different nodes: use the URL of one node, or give the number of the record.',
  })
}

/** The lowest coordinate that is not earlier. */
async function lowest(
  { begins, head }: Pick<Search, 'begins' | 'head'>,
  isEarlier: KnownTimes['isEarlier'],
): Promise<number> {
  let at = 0
  for (let step = 2 ** Math.floor(Math.log2(head + 1)); step >= 1; step /= 2) {
    const last = at + step - 1
    if (last > head) continue
    if (last < begins || (await isEarlier(last, Math.max(at, begins)))) at += step
  }
  return at
}

async function described(at: number, { begins }: Search, known: KnownTimes) {
  const time = await known.at(at)
  if (typeof time !== 'bigint') throw new RangeError(`The record at ${at} has no known time.`)
  const before = await known.lastBefore(at, begins)
  const first = before === null ? begins : at
  return {
    at: first,
    /** The first record with a known time at or after the time: the same one, unless no record before it has a known time. */
    known: { at, time },
    /** The last record before it with a known time; null if there is none. */
    before: before === null || before.time === 'missing' ? null : { at: before.at, time: before.time },
    /** Whether the source has no record before it. */
    isFirst: first === begins || (before?.at === at - 1 && before.time === 'missing'),
  }
}

type KnownTimes = ReturnType<typeof createKnownTimes>

function createKnownTimes({ times, ns, waitMs = 500, signal }: Search) {
  const known = new Map<number, RecordTime>()

  async function read(from: number, to: number): Promise<void> {
    const found = await times(from, to, signal)
    for (const [index, time] of found.entries()) known.set(from + index, time)
  }
  async function at(coordinate: number): Promise<RecordTime> {
    if (!known.has(coordinate)) await read(coordinate, coordinate + 1)
    return known.get(coordinate) ?? 'missing'
  }
  const isBefore = (time: bigint | 'missing') => time === 'missing' || time * 1000n < ns
  const sideOf = (time: RecordTime) => (time === 'unknown' ? time : isBefore(time))

  /** The last record in `[low, end)` that is missing or has a known time. */
  async function lastBefore(end: number, low: number): Promise<{ at: number; time: bigint | 'missing' } | null> {
    let window = firstWindow
    for (let coordinate = end - 1; coordinate >= low; coordinate--) {
      if (!known.has(coordinate)) {
        await read(Math.max(low, coordinate + 1 - window), coordinate + 1)
        window = Math.min(longestWindow, window * 2)
      }
      const time = await at(coordinate)
      if (time !== 'unknown') return { at: coordinate, time }
    }
    return null
  }

  return {
    at,
    lastBefore,
    async persistent(coordinate: number): Promise<RecordTime> {
      for (let attempt = 1; (await at(coordinate)) === 'missing' && attempt < tries; attempt++) {
        await pause(waitMs * 2 ** (attempt - 1), signal)
        await read(coordinate, coordinate + 1)
      }
      return at(coordinate)
    },
    /** Whether a record is earlier than the time. All records below `low` are. */
    async isEarlier(coordinate: number, low: number): Promise<boolean> {
      const time = await at(coordinate)
      if (time !== 'unknown') return isBefore(time)
      const nearest = await lastBefore(coordinate, low)
      return nearest === null || isBefore(nearest.time)
    },
    /**
     * Whether a second answer puts a record on the same side of the time: a wrong one would move the bound of a range. If not, it forgets the
     * answers that may be wrong, too.
     */
    async confirmed(coordinate: number): Promise<boolean> {
      const before = await at(coordinate)
      if (before !== 'missing') known.delete(coordinate)
      const isConfirmed = sideOf(await this.persistent(coordinate)) === sideOf(before)
      if (!isConfirmed)
        for (const [other, time] of known) if (before !== 'missing' || time === 'missing') known.delete(other)
      return isConfirmed
    },
  }
}

/** One or two sentences about a bound that is a time: which record it is, and which times are not known. */
export function timeBoundText(walk: Pick<Range, 'record'>, { time, found }: TimeBound): string {
  if (found === null) return `${time}: no ${walk.record} has this time or a later one yet.`
  const { at, known } = found
  if (at === known.at) return [`${time} is ${recordText(walk, known)}.`, ...beforeText(walk, found)].join(' ')
  return `${time} is ${walk.record} ${at}, the first one; the first one with a known time is ${recordText(walk, known)}.`
}

/** A sentence about a bound of records that is a number beyond the head; null if there is none. It is the same in each round. */
export function unreachedText({ from, to, record, endpoint }: RangeMember['walk'], head: number): string | null {
  const beyond = [from, typeof to === 'number' ? to - 1 : null].find((at) => typeof at === 'number' && at > head)
  return endpoint === undefined || beyond === undefined ? null : `There is no ${record} ${beyond} to read yet.`
}

function recordText(walk: Pick<Range, 'record'>, { at, time }: FoundTime['known']): string {
  return `${walk.record} ${at} (${timeText(time)})`
}

function beforeText(walk: Pick<Range, 'record'>, { at, isFirst, before }: FoundTime): string[] {
  if (isFirst) return [`The source has no ${walk.record} before it.`]
  if (before === null) return [`The ${walk.record}s before it have no known time.`]
  const unknown = at - 1 - before.at
  if (unknown === 0) return []
  const some = unknown === 1 ? `The ${walk.record} before it has` : `The ${unknown} ${walk.record}s before it have`
  return [`${some} no known time; the last known one before is ${recordText(walk, before)}.`]
}

/** A time in microseconds as RFC 3339, without a fraction that is zero. */
function timeText(time: bigint): string {
  const text = new Date(Number(time / 1000n)).toISOString()
  return text.replace('.000Z', 'Z')
}
