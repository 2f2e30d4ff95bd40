import type { Catalog, Covered, Measure, RunRecord } from '../../catalog/catalog.ts'
import type { ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { CatalogError, PostponedError } from '../../errors.ts'
import { getOrCreate, sumOf } from '../../lib/arrays.ts'
import { reachStep } from '../../lib/step.ts'
import { shellText } from '../../lib/text.ts'
import { type Part, type Stream, streamId } from '../../model.ts'
import { countOf, estimate } from '../../plan/intervals.ts'
import { type Connections, createAsker } from '../connections/connections.ts'
import { verifyRoom } from '../disk-space.ts'
import { isStop, slicesTaken } from '../error-parts.ts'
import {
  createUnknownFields,
  type EmitEvent,
  type JobProgress,
  type JobResult,
  jobResult,
  nothingDone,
  postponementOf,
} from '../events.ts'
import type { Job } from '../job.ts'
import { EarlyEndError } from '../lists/list-times.ts'
import {
  coveredOf,
  createHeads,
  estimateBytes,
  openMember,
  planRange,
  type RangePlan,
  reportHead,
  tableNames,
  timeBoundText,
  unreachedText,
  windowsAhead,
} from '../ranges/plan-slices.ts'
import type { RangeRun } from '../ranges/threads.ts'
import type { LakeRun, RangeMember, Run } from '../rows/lake-run.ts'
import { groupsOf, isListedRange, isRecords, type StreamGroup } from './start-jobs.ts'

type JobRun = LakeRun &
  Pick<RangeRun, 'threads'> & { readonly connections: Pick<Connections, 'connection' | 'service'> }

/** A run as the walks of a job get it. */
type WalkRun = RangeRun & Pick<JobRun, 'connections'> & { readonly stats: JobStats }

type JobStats = { -readonly [Fact in keyof JobProgress]: JobProgress[Fact] } & {
  readonly parts: Part[]
  readonly unknownFields: ReturnType<typeof unknownFieldsOf>
  /** The stream that it reads, counted from 1, where it has several one after another. */
  stream?: { readonly number: number; readonly of: number }
  /** Whether a later round may find more. */
  continues: boolean
  /** Ids of the streams that the lake covers beyond the head of their source. */
  readonly behind: Set<string>
}

export type Round = {
  /** What it has done, also where it failed. */
  readonly result: JobResult
  readonly failure: Error | null
  /** Whether no later round can find more: its ranges have ends, which it has reached. */
  readonly isOver: boolean
  /** Ids of the streams that the lake covers beyond the head of their source. */
  readonly behind: ReadonlySet<string>
}

/** Most commits have enough rows, or are old enough, before. */
const usualUnitPages = 1_500

/**
 * Runs one round of a job: reads the missing slices of each stream up to the current head. When `stop` is aborted, the complete
 * prefix is committed. When `stop` is aborted before a range has seen its head, the round fails with the reason of `stop`.
 */
export async function runJob(job: Job, declared: readonly StreamDeclaration[], run: JobRun): Promise<Round> {
  const startedMs = performance.now()
  // A list parameter may contain a value twice.
  const streams = [...new Map(declared.map((stream) => [streamId(stream.stream), stream])).values()]
  const range = streams.find(isRecords)
  const stats: JobStats = {
    ...nothingDone,
    parts: [],
    unknownFields: unknownFieldsOf(job),
    continues: streams.some((stream) => !isRecords(stream) && !isListedRange(stream)),
    behind: new Set(),
  }
  const tables = [...new Set(streams.flatMap(tableNames))]
  let failure: Error | null = null
  try {
    await walkGroups(groupsOf(streams), runOf(job, tables, run, stats))
  } catch (error) {
    // After a stop or a postponement the complete prefix is committed.
    stats.upToDate = false
    if (error instanceof PostponedError) stats.postponed = postponementOf(error)
    else if (!isStop(error, run.stop) || (range !== undefined && stats.head === null)) failure = error as Error
  } finally {
    stats.interrupted = run.stop.aborted
    // The next lookup opens it again. An open one would take memory while views are published.
    await run.lookup.close()
    stats.unknownFields.warn(run.emit)
  }
  const { unknownFields: _, stream: __, continues, behind, ...done } = stats
  const outline = { name: job.name, pipeline: job.pipeline.name, streams: streams.length, tables }
  const result = jobResult(
    { ...outline, range: range === undefined ? null : { record: range.walk.record, stream: range.stream.path } },
    { ...done, seconds: (performance.now() - startedMs) / 1000, upToDate: done.upToDate && done.parts.length === 0 },
  )
  const isOver = !continues && failure === null && done.postponed === null && !run.stop.aborted
  return { result, failure, isOver, behind }
}

async function walkGroups(groups: readonly StreamGroup[], run: WalkRun): Promise<void> {
  const { stats } = run
  // A list that ends early says nothing about the other lists of the job.
  const early: EarlyEndError[] = []
  for (const [at, group] of groups.entries()) {
    if (run.stop.aborted && !isRecords(group[0])) break
    if (groups.length > 1) stats.stream = { number: at + 1, of: groups.length }
    try {
      if (!(await walkGroup(group, run))) stats.upToDate = false
    } catch (error) {
      if (!(error instanceof EarlyEndError)) throw error
      early.push(error)
    }
  }
  for (const { message, details } of early.slice(1)) run.emit({ kind: 'warning', message, details })
  if (early[0] !== undefined) throw early[0]
}

/** `tables`: names of the tables that the job fills. */
function runOf(job: Job, tables: readonly string[], run: JobRun, stats: JobStats): WalkRun {
  const client = createAsker(run.connections)
  const emit: EmitEvent = (event) =>
    run.emit(event.kind === 'progress' && stats.stream !== undefined ? { ...event, stream: stats.stream } : event)
  const heads = new Map<string, Promise<number | null>>()
  const highest = new Map<string, ReturnType<Run['highest']>>()
  return {
    ...run,
    job: job.name,
    pipeline: job.pipeline.name,
    emit,
    written(parts, coordinates) {
      stats.parts.push(...parts)
      stats.records += coordinates
      if (coordinates > 0) stats.units++
    },
    stats,
    unknownFields: stats.unknownFields.add,
    progress({ rows, ...progress }) {
      const written = stats.parts.filter(({ table }) => tables.includes(table))
      const { pages } = stats
      const sums = { rows: rows + sumOf(written, 'rows'), bytes: sumOf(written, 'bytes') }
      emit({ kind: 'progress', pipeline: job.name, ...progress, ...sums, pages })
    },
    client,
    unitPages: (job.values['unit-pages'] as number | undefined) ?? usualUnitPages,
    unanswered: (keys) => {
      stats.unanswered = keys
    },
    page: () => {
      stats.pages++
      reachStep('page.read')
    },
    highest: (column) => getOrCreate(highest, column, () => run.catalog.highest(column)),
    headOf: (request, decode, again) =>
      getOrCreate(heads, JSON.stringify([request, again]), () =>
        client.ask(request, { signal: run.stop, parse: decode }),
      ),
  }
}

/** A job runs again and again with --follow: each field is named once. */
const unknownOf = new WeakMap<Job, ReturnType<typeof createUnknownFields>>()

function unknownFieldsOf(job: Job) {
  return getOrCreate(unknownOf, job, () => createUnknownFields(job.name))
}

/** Maximum number of consecutive restarts of a stream because another run has covered a part of its slices. */
const mostCollisions = 20

/**
 * Reads what the lake is missing of streams; resolves to true when there was nothing to do. Starts again when another run has covered a part of
 * their slices in the meantime.
 */
async function walkGroup(group: StreamGroup, run: WalkRun): Promise<boolean> {
  /** How often that has happened since the last commit. */
  let collisions = 0
  const written: Run['written'] = (parts, coordinates) => {
    collisions = 0
    // The seconds or blocks of a list are no records.
    run.written(parts, isRecords(group[0]) ? coordinates : 0)
  }
  for (;;) {
    // Smaller commits collide with other runs less often.
    const smaller = { commitEveryMs: run.commitEveryMs / 2 ** collisions }
    try {
      return await walkStreams(group, { ...run, ...smaller, written })
    } catch (error) {
      if (error !== slicesTaken) throw error
      if (++collisions >= mostCollisions) throw tooManyCollisions(group[0].stream)
    }
  }
}

function tooManyCollisions(stream: Stream): CatalogError {
  return new CatalogError('Another run repeatedly stores the same rows at the same time.', {
    code: 'catalog.conflict',
    details: { stream: streamId(stream) },
    hint: 'Committed rows are kept, and nothing is stored twice. Run again when the other run has ended.',
  })
}

async function walkStreams(group: StreamGroup, run: WalkRun): Promise<boolean> {
  const [stream] = group
  const { walk } = stream
  const contextOf = (observation: { id: string; observedAt: bigint }) => (): ReadingContext => ({
    observationId: observation.id,
    observedAt: observation.observedAt,
    unknownField: (path) => run.unknownFields({ [path]: 1 }),
    memory: new Map(),
  })
  const context = contextOf({ id: run.runId, observedAt: BigInt(Date.now()) * 1000n })
  // Each walk is loaded when a job needs it: loading takes longer than a run with nothing to do.
  switch (walk.kind) {
    case 'range': {
      const underWay = windowsAhead(run)
      const members = group.filter(isRecords).map((each) => openMember(each, run.connections.connection, underWay))
      return walkRanges(await Promise.all(members), run)
    }
    case 'blockWindow':
    case 'timeWindow':
    case 'heightRange': {
      const { listedRange } = await import('../lists/listed-range.ts')
      const members = group
        .filter(isListedRange)
        .map((each) => listedRange({ stream: each, walk: each.walk, run, context }))
      return walkRanges(members, { ...run, threads: null })
    }
    case 'pageChain':
      return (await import('../lists/growing-lists.ts')).walkPageChain({ stream, walk, run, context })
    case 'oldestFirst':
      return (await import('../lists/growing-lists.ts')).walkOldestFirst({ stream, walk, run, context })
    case 'snapshot':
      return (await import('../lists/observation-walk.ts')).observe({ stream, walk, run, context: contextOf })
    case 'series':
      return (await import('../lists/series-walk.ts')).walkSeries({ stream, walk, run, context })
    case 'keyed':
      return (await import('../lists/keyed-walk.ts')).walkKeyed({ stream, walk, run, context })
  }
}

/** The shortest and the longest time between two writes. Between them, writing takes at most a twentieth of the time. */
const shortestWriteGapMs = 2_000
const longestWriteGapMs = 60_000
const shareOfTime = 20

/** Collects what rounds of jobs have reached and how long they took. Written at intervals, and at the end of the run. */
export function createRunRecorder({ recordRun }: Pick<Catalog, 'recordRun'>) {
  const reached = new Map<string, number>()
  const measures = new Map<string, Measure>()
  let dueMs = Number.NEGATIVE_INFINITY
  const rest = (): RunRecord => ({ reached, measures: [...measures.values()] })
  return {
    done(streams: readonly StreamDeclaration[], result: JobResult): void {
      // A job that has more to do has not reached the head, and its time says nothing about a complete run.
      if (result.interrupted || result.postponed !== null) return
      const nowMs = Date.now()
      for (const { stream } of streams) reached.set(streamId(stream), nowMs)
      const measure = measureOf(result, nowMs)
      if (measure.records + measure.requests > 0) measures.set(measure.job, measure)
    },
    /** Writes, unless it did a moment ago: the catalog says soon when a run last looked at a head, and writing takes little of the time. */
    async afterRound(): Promise<void> {
      const beganMs = performance.now()
      if (beganMs < dueMs) return
      // After a failure the next attempt writes them.
      await recordRun(rest())
      reached.clear()
      measures.clear()
      const endedMs = performance.now()
      dueMs = endedMs + Math.max(shortestWriteGapMs, Math.min(longestWriteGapMs, (endedMs - beganMs) * shareOfTime))
    },
    /** The records that are not written yet. */
    rest,
  }
}

function measureOf(result: JobResult, endedAtMs: number): Measure {
  return {
    job: result.name,
    pipeline: result.pipeline,
    endedAtMs,
    milliseconds: result.seconds * 1000,
    records: result.kind === 'range' ? result.records : 0,
    requests: result.pages,
  }
}

/** Reads what the lake is missing of ranges that fill the same tables. Resolves to true when there was nothing to fetch. */
async function walkRanges(members: readonly RangeMember[], run: WalkRun): Promise<boolean> {
  const plans = await planAll(members, run)
  if (plans.length < members.length || plans.some(({ isLast }) => !isLast)) run.stats.continues = true
  const total = plans.reduce((sum, { plan }) => sum + countOf(plan.missing.map(({ slice }) => slice)), 0)
  if (total === 0) return true
  // Loaded on demand: the code that writes rows takes long to load, and most scheduled runs have few rows or none.
  const { commitSlices } = await import('../ranges/commit-slices.ts')
  await commitSlices(plans, total, run)
  for (const { walk } of members) {
    const message = walk.afterwards?.() ?? null
    if (message !== null) run.emit({ kind: 'notice', message })
  }
  return false
}

async function planAll(members: readonly RangeMember[], run: WalkRun): Promise<RangePlan[]> {
  const heads = new Map<RangeMember, number>()
  const headOf = createHeads(run.stop, run.head)
  for (const member of members) {
    const head = await headOf(member)
    if (head.isNew) {
      run.stats.head = head.at
      reportHead(member, head, run.emit)
    }
    if (head.at !== null) heads.set(member, head.at)
  }
  if (heads.size === 0) return []
  const covered = await coveredOf(run.catalog, [...heads.keys()])
  const plans: RangePlan[] = []
  const late: LateHead[] = []
  for (const [member, head] of heads) {
    const own = covered(member)
    const plan = await planMember(member, own, head, run)
    plans.push(plan)
    const end = Math.max(0, ...[...own.own.values()].flat().map(({ slice }) => slice.to))
    if (!plan.isLast && end > head + (member.walk.beyond ?? 0) + 1) late.push({ member, head, end })
  }
  await reportLateHeads(late, run)
  return plans
}

/** A source may be late for this long, such as one that a load balancer has chosen. */
const usualLateMs = 3_600_000

type LateHead = { readonly member: RangeMember; readonly head: number; readonly end: number }

/** There is nothing new below a head that the lake covers already. Warns when this lasts: the source is late, or a run believed a wrong head. */
async function reportLateHeads(late: readonly LateHead[], { stats, catalog, lakeDir, emit }: WalkRun): Promise<void> {
  if (late.length === 0) return
  const { streams } = await catalog.status()
  const reached = new Map(streams.map((each) => [each.stream, each.reached?.getTime() ?? 0]))
  for (const { member } of late) stats.behind.add(streamId(member.stream))
  const lasting = late.filter(({ member }) => Date.now() - (reached.get(streamId(member.stream)) ?? 0) >= usualLateMs)
  const ends = lasting.length === 0 ? new Map<string, number>() : await catalog.fileEnds()
  for (const { member, head, end } of lasting) {
    const id = streamId(member.stream)
    // Above the last rows everything may have been believed empty. A file that reaches beyond the head is removed as a whole.
    const from = ends.get(id) ?? 0
    emit({
      kind: 'warning',
      message: `Nothing is read of ${member.walk.what}: the lake covers more than the source has. The source is late, or an earlier answer of it was wrong. Run the command only if it was wrong: the next run then reads again.`,
      details: {
        'newest at the source': String(head),
        'covered end': String(end),
        command: `chainlake repair --stream ${shellText(id)} --from ${Math.min(head + 1, from)} --lake ${shellText(lakeDir)}`,
      },
      once: true,
    })
  }
}

async function planMember(member: RangeMember, covered: Covered, head: number, run: RangeRun): Promise<RangePlan> {
  const { walk, source } = member
  const { emit, stop, threads } = run
  const sharing = threads === null ? {} : { threadsFor: threads.threadsFor }
  const planned = await planRange(member, covered, head, { ...sharing, signal: stop })
  for (const time of planned.times) emit({ kind: 'notice', message: timeBoundText(walk, time), once: true })
  const unreached = unreachedText(walk, head)
  if (unreached !== null) emit({ kind: 'notice', message: unreached, details: { newest: head }, once: true })
  const { units, records } = estimate(planned.plan, source.windowSize())
  if (records === 0) return planned
  const { bytes, known } = estimateBytes(planned.plan, covered.own, walk)
  if (known) await refuseFullDisk(planned, bytes, run)
  if (walk.notice !== null) emit({ kind: 'warning', message: walk.notice, once: true })
  // Where commits are bounded by rows, their number is unknown.
  if (walk.unit !== null) emit({ kind: 'planned', pipeline: run.job, units, record: walk.record, records, head })
  return planned
}

/**
 * Throws when the disk does not have enough space. A source may report a head that it does not have; that is no reason to refuse, because
 * the run ends at the last record.
 */
async function refuseFullDisk({ member, plan }: RangePlan, bytes: number, run: Run): Promise<void> {
  try {
    verifyRoom(run.lakeDir, { what: run.job, bytes })
  } catch (error) {
    const end = Math.max(...plan.missing.map(({ slice }) => slice.to))
    if (await isThere(member, end - 1, run)) throw error
  }
}

async function isThere({ source }: RangeMember, coordinate: number, { stop }: Run): Promise<boolean> {
  try {
    await source.window(coordinate, coordinate + 1, stop)
    return true
  } catch {
    stop.throwIfAborted()
    return false
  }
}
