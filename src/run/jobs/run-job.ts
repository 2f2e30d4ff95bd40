import type { ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { PostponedError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import { type Part, streamId } from '../../model.ts'
import { createAsker } from '../connections/ask.ts'
import type { Connections } from '../connections/connections.ts'
import { isStop } from '../job/early-end.ts'
import type { RunEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import { type Postponement, postponementOf } from '../job/postponement.ts'
import { EarlyEndError } from '../lists/early-end.ts'
import { walkRanges } from '../ranges/walk-ranges.ts'
import { walkWithConcurrentCommits } from '../rows/concurrent-commits.ts'
import { type JobResult, jobResult, type TableResult, type Unanswered } from '../rows/job-result.ts'
import type { LakeRun, ListRun } from '../rows/lake-run.ts'
import { createUnknownFields, type UnknownFields } from '../rows/unknown-fields.ts'
import { openMember } from '../units/open-member.ts'
import { type RangeRun, windowsAhead } from '../units/range-run.ts'
import type { UnitThreads } from '../units/unit-executor.ts'
import type { JobMessage } from '../units/unit-message.ts'
import { groupsOf, isListedRange, isRecords, type StreamGroup } from './stream-groups.ts'

type JobRun = LakeRun & {
  readonly connections: Pick<Connections, 'connection' | 'service'>
  readonly unitThreads: UnitThreads
  /** The job as unit messages describe it. */
  readonly message: JobMessage
}

/** What a job has done so far. */
type JobStats = {
  readonly parts: Part[]
  readonly unknownFields: UnknownFields
  head: number | null
  records: number
  units: number
  pages: number
  upToDate: boolean
  postponed: Postponement | null
  interrupted: boolean
  /** Whether a later round may find more. */
  continues: boolean
  unanswered?: Unanswered
}

const usualUnitPages = 500

/**
 * Runs one round of a job: reads the missing slices of each stream up to the current head. When `stop` is aborted, the complete
 * prefix is committed. When `stop` is aborted before a range has seen its head, the reason of `stop` is thrown.
 */
export async function runJob(job: Job, declared: readonly StreamDeclaration[], run: JobRun): Promise<JobResult> {
  const startedMs = performance.now()
  // A list parameter may contain a value twice.
  const streams = [...new Map(declared.map((stream) => [streamId(stream.stream), stream])).values()]
  const range = streams.find(isRecords)
  const stats: JobStats = {
    parts: [],
    unknownFields: unknownFieldsOf(job),
    head: null,
    records: 0,
    units: 0,
    pages: 0,
    upToDate: true,
    postponed: null,
    interrupted: false,
    continues: streams.some((stream) => !isRecords(stream) && !isListedRange(stream)),
  }
  const outline = {
    name: job.name,
    pipeline: job.pipeline.name,
    streams: streams.length,
    tables: [...new Set(streams.flatMap(({ tables }) => Object.values(tables).map(({ name }) => name)))],
    range: range === undefined ? null : { record: range.walk.record, stream: range.stream.path },
  }
  const result = (): JobResult =>
    jobResult(outline, {
      ...stats,
      seconds: (performance.now() - startedMs) / 1000,
      upToDate: stats.upToDate && stats.parts.length === 0,
    })
  try {
    await walkGroups(groupsOf(streams), job, run, stats, () => result().tables)
    if (!stats.continues && !run.stop.aborted) run.over?.()
  } catch (error) {
    // After a stop or a postponement the complete prefix is committed.
    stats.upToDate = false
    if (error instanceof PostponedError) stats.postponed = postponementOf(error)
    else if (!isStop(error, run.stop) || (range !== undefined && stats.head === null)) {
      run.failed?.(result())
      throw error
    }
  } finally {
    stats.interrupted = run.stop.aborted
    // The next lookup opens it again. An open one would take memory while views are published.
    await run.lookup.close()
    stats.unknownFields.warn(run.emit)
  }
  return result()
}

async function walkGroups(
  groups: readonly StreamGroup[],
  job: Job,
  run: JobRun,
  stats: JobStats,
  tables: () => readonly TableResult[],
): Promise<void> {
  let number = 0
  const numbered: JobRun = {
    ...run,
    emit: (event) =>
      run.emit(
        event.kind === 'progress' && groups.length > 1 ? { ...event, stream: { number, of: groups.length } } : event,
      ),
  }
  const lists = listRunOf(job, numbered, stats, tables)
  // A list that ends early says nothing about the other lists of the job.
  const early: EarlyEndError[] = []
  for (const group of groups) {
    number++
    if (run.stop.aborted && !isRecords(group[0])) break
    try {
      if (!(await walkGroup(group, job, numbered, lists, stats))) stats.upToDate = false
    } catch (error) {
      if (!(error instanceof EarlyEndError)) throw error
      early.push(error)
    }
  }
  for (const { message, details } of early.slice(1)) run.emit({ kind: 'warning', message, details })
  if (early[0] !== undefined) throw early[0]
}

function listRunOf(job: Job, run: JobRun, stats: JobStats, tables: () => readonly TableResult[]): ListRun {
  const client = createAsker(run.connections)
  const heads = new Map<string, Promise<number | null>>()
  const highest = new Map<string, ReturnType<ListRun['highest']>>()
  return {
    ...run,
    emit: (event) => {
      const named = 'pipeline' in event ? { ...event, pipeline: job.name } : event
      run.emit(named.kind === 'progress' ? { ...withWritten(named, tables()), pages: stats.pages } : named)
    },
    client,
    pipeline: job.pipeline.name,
    unitPages: (job.values['unit-pages'] as number | undefined) ?? usualUnitPages,
    unknownField: (path) => stats.unknownFields.add({ [path]: 1 }),
    written: (parts) => void stats.parts.push(...parts),
    unanswered: (keys) => {
      stats.unanswered = keys
    },
    page: () => {
      stats.pages++
      reachStep('page.read')
    },
    highest: (column) => {
      const found = highest.get(column) ?? run.catalog.highest(column)
      highest.set(column, found)
      return found
    },
    headOf: (request, decode, again) => {
      const key = JSON.stringify([request, again])
      const head = heads.get(key) ?? client.ask(request, { signal: run.stop, parse: decode })
      heads.set(key, head)
      return head
    },
  }
}

/** A job runs again and again with --follow: each field is named once. */
const unknownOf = new WeakMap<Job, UnknownFields>()

function unknownFieldsOf(job: Job): UnknownFields {
  const known = unknownOf.get(job) ?? createUnknownFields(job.name)
  unknownOf.set(job, known)
  return known
}

type ProgressEvent = Extract<RunEvent, { kind: 'progress' }>

/** Adds the rows and bytes that are written already: walks report only what they have not written yet. */
function withWritten(event: ProgressEvent, written: readonly TableResult[]): ProgressEvent {
  const sum = (name: 'rows' | 'bytes') => written.reduce((total, table) => total + table[name], 0)
  return { ...event, rows: event.rows + sum('rows'), bytes: sum('bytes') }
}

/** Reads what the lake is missing of streams; resolves to true when there was nothing to do. */
function walkGroup(group: StreamGroup, job: Job, run: JobRun, lists: ListRun, stats: JobStats): Promise<boolean> {
  return walkWithConcurrentCommits(group[0].stream, lists.written, (written, collisions) => {
    const ranges: RangeRun = {
      ...run,
      job: job.name,
      pipeline: job.pipeline.name,
      module: job.pipeline.module,
      // Smaller units collide with other runs less often.
      commitEveryMs: run.commitEveryMs / 2 ** collisions,
      atHead: (head) => {
        stats.head = head
      },
      continues: () => {
        stats.continues = true
      },
      committed: (parts, length) => {
        written(parts)
        stats.records += length
        stats.units++
      },
      unknownFields: stats.unknownFields.add,
    }
    return walkStreams(group, { ...lists, written }, ranges, run.connections)
  })
}

async function walkStreams(
  group: StreamGroup,
  run: ListRun,
  ranges: RangeRun,
  { connection }: Pick<Connections, 'connection'>,
): Promise<boolean> {
  const [stream] = group
  const { walk } = stream
  const contextOf = (observation: { id: string; observedAt: bigint }) => (): ReadingContext => ({
    observationId: observation.id,
    observedAt: observation.observedAt,
    unknownField: run.unknownField,
    memory: new Map(),
  })
  const context = contextOf({ id: run.runId, observedAt: BigInt(Date.now()) * 1000n })
  const nowMs = () => Date.now()
  // Each walk is loaded when a job needs it: loading takes longer than a run with nothing to do.
  switch (walk.kind) {
    case 'range': {
      const underWay = windowsAhead(run)
      const members = group.filter(isRecords).map((each) => openMember(each, connection, underWay))
      return walkRanges(await Promise.all(members), ranges)
    }
    case 'blockWindow':
    case 'timeWindow':
    case 'heightRange': {
      const { listedRange } = await import('../lists/listed-range.ts')
      return walkRanges(
        group.filter(isListedRange).map((each) => listedRange(each, run, { context, nowMs })),
        ranges,
      )
    }
    case 'pageChain':
      return (await import('../lists/page-chain.ts')).walkPageChain({ stream, walk, run, context, nowMs })
    case 'oldestFirst':
      return (await import('../lists/oldest-first.ts')).walkOldestFirst({ stream, walk, run, context, nowMs })
    case 'scan':
    case 'snapshot':
      return (await import('../lists/observation-walk.ts')).observe({ stream, walk, run, context: contextOf, nowMs })
    case 'series':
      return (await import('../lists/series-walk.ts')).walkSeries({ stream, walk, run, context, nowMs })
    case 'keyed':
      return (await import('../lists/keyed-walk.ts')).walkKeyed({ stream, walk, run, context })
  }
}
