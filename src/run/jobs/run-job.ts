import type { ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { PostponedError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import { type Part, streamId } from '../../model.ts'
import { createAsker } from '../connections/ask.ts'
import type { Reach } from '../connections/reach.ts'
import { isStop } from '../job/early-end.ts'
import type { RunEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import { type Postponement, postponementOf } from '../job/postponement.ts'
import { listedRange } from '../lists/listed-range.ts'
import { walkRanges } from '../ranges/walk-ranges.ts'
import { walkAgainstOthers } from '../rows/against-others.ts'
import type { JobResult, Unanswered } from '../rows/job-result.ts'
import { type TableResult, tableResult } from '../rows/job-result.ts'
import type { LakeRun, ServiceRun } from '../rows/lake-run.ts'
import { type RangeRun, windowsAhead } from '../units/range-run.ts'
import type { UnitThreads } from '../units/unit-executor.ts'
import type { JobMessage } from '../units/unit-message.ts'
import { groupsOf, isListedRange, isRecords, type StreamGroup } from './stream-groups.ts'

export type JobRun = LakeRun & {
  readonly reach: Pick<Reach, 'connection' | 'service'>
  readonly unitThreads: UnitThreads
  /** The job as units name it. */
  readonly message: JobMessage
  readonly lookup: Lookup
}

const usualUnitPages = 500
/**
 * One round of a job: each of its streams from what the lake lacks to what is there now. When `stop` is aborted, what is whole is
 * committed; before a range has seen its head, the reason of `stop` is thrown.
 */
export async function runJob(job: Job, declared: readonly StreamDeclaration[], run: JobRun): Promise<JobResult> {
  const startedMs = performance.now()
  // Lists of parameters may name a thing twice.
  const streams = [...new Map(declared.map((stream) => [streamId(stream.stream), stream])).values()]
  const names = [...new Set(streams.flatMap((stream) => Object.values(stream.tables).map(({ name }) => name)))]
  const parts: Part[] = []
  const results = () => names.map((name) => tableResult(name, parts))
  const unknown = new Map<string, number>()
  const heads = new Map<string, Promise<number | null>>()
  const range = { head: null as number | null, containers: 0, units: 0 }
  let pages = 0
  let upToDate = true
  let postponed: Postponement | null = null
  let interrupted = false
  let unanswered: Unanswered | undefined
  const client = createAsker(run.reach)
  const tell = (more: readonly Part[]): void => {
    parts.push(...more)
  }
  const listRun: ServiceRun = {
    ...run,
    emit: (event) => {
      const named = 'pipeline' in event ? { ...event, pipeline: job.name } : event
      run.emit(named.kind === 'progress' ? withWritten(named, results()) : named)
    },
    client,
    pipeline: job.pipeline.name,
    unitPages: (job.values['unit-pages'] as number | undefined) ?? usualUnitPages,
    unknownField: (path) => unknown.set(path, (unknown.get(path) ?? 0) + 1),
    written: tell,
    unanswered: (keys) => {
      unanswered = keys
    },
    page: () => {
      pages++
      reachStep('page.read')
    },
    headOf: (request, decode) => {
      const key = JSON.stringify(request)
      const head = heads.get(key) ?? client.ask(request, { signal: run.stop, parse: decode })
      heads.set(key, head)
      return head
    },
  }
  const rangeRun = {
    ...run,
    job: job.name,
    pipeline: job.pipeline.name,
    atHead: (head: number | null) => {
      range.head = head
    },
  }
  const first = streams.find(isRecords)
  const result = (): JobResult => ({
    ...(first === undefined
      ? { kind: 'service' }
      : {
          kind: 'containers',
          record: first.walk.record,
          byHeight: first.walk.byHeight,
          stream: first.stream.path,
          ...range,
        }),
    name: job.name,
    pipeline: job.pipeline.name,
    streams: streams.length,
    pages,
    tables: results(),
    seconds: (performance.now() - startedMs) / 1000,
    upToDate: upToDate && parts.length === 0,
    postponed,
    interrupted,
    ...(unanswered === undefined ? {} : { unanswered }),
  })
  try {
    for (const group of groupsOf(streams)) {
      const [one] = group
      if (run.stop.aborted && !isRecords(one)) break
      const isCurrent = await walkAgainstOthers(one.stream, tell, (written, collisions) => {
        const committed = (more: readonly Part[], length: number): void => {
          written(more)
          range.containers += length
          range.units++
        }
        // Smaller units are taken by others less often.
        const commitEveryMs = run.commitEveryMs / 2 ** collisions
        const again = { ...rangeRun, commitEveryMs, committed }
        return walkGroup(group, { ...listRun, written }, again, run.reach)
      })
      if (!isCurrent) upToDate = false
    }
  } catch (error) {
    // What was whole when the run was told to stop, or the service to wait, is committed.
    upToDate = false
    if (error instanceof PostponedError) postponed = postponementOf(error)
    else if (!isStop(error, run.stop) || (first !== undefined && range.head === null)) {
      run.failed?.(result())
      throw error
    }
  } finally {
    interrupted = run.stop.aborted
    // It opens again when it is asked; until then what it has read would take memory beside the publishing of views.
    await run.lookup.close()
    for (const [field, times] of unknown)
      run.emit({
        kind: 'warning',
        message: `Answers for ${job.name} hold a field that chainlake does not know: ${field}. It is in no column.`,
        details: { times },
        once: true,
      })
  }
  return result()
}

type ProgressEvent = Extract<RunEvent, { kind: 'progress' }>

/** Walks tell what they have not written yet. */
function withWritten(event: ProgressEvent, written: readonly TableResult[]): ProgressEvent {
  const sum = (name: 'rows' | 'bytes') => written.reduce((total, table) => total + table[name], 0)
  return { ...event, rows: event.rows + sum('rows'), bytes: sum('bytes') }
}

/** Walks streams from what the lake lacks; resolves to true when there was nothing to do. */
async function walkGroup(
  group: StreamGroup,
  run: ServiceRun,
  ranges: RangeRun,
  { connection }: Pick<Reach, 'connection'>,
) {
  const [stream] = group
  const { walk, tables } = stream
  const contextOf = (observation: { id: string; observedAt: bigint }) => (): ReadingContext => ({
    observationId: observation.id,
    observedAt: observation.observedAt,
    unknownField: run.unknownField,
    memory: new Map(),
  })
  const context = contextOf({ id: run.runId, observedAt: BigInt(Date.now()) * 1000n })
  const nowMs = () => Date.now()
  // Loaded when a job needs them: what writes rows takes longer to load than a run with nothing to do takes.
  switch (walk.kind) {
    case 'range': {
      const source = await walk.source(connection(walk.place), { underWay: windowsAhead(run) })
      return walkRanges([{ stream: stream.stream, tables, walk, source }], ranges)
    }
    case 'blockWindow':
    case 'timeWindow':
    case 'heightRange':
      return walkRanges(
        group.filter(isListedRange).map((each) => listedRange(each, run, context)),
        ranges,
      )
    case 'pageChain':
      return (await import('../lists/page-chain.ts')).walkPageChain({ stream, walk, run, context, nowMs })
    case 'oldestFirst':
      return (await import('../lists/oldest-first.ts')).walkOldestFirst({ stream, walk, run, context, nowMs })
    case 'scan':
    case 'snapshot':
      return (await import('../lists/observation-walk.ts')).observe({ stream, walk, run, context: contextOf, nowMs })
    case 'series':
      return (await import('../lists/series-walk.ts')).walkSeries({ stream, walk, run, context })
    case 'keyed':
      return (await import('../lists/keyed-walk.ts')).walkKeyed({ stream, walk, run, context })
  }
}
