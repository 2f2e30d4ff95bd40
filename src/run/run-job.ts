import type { Range, ReadingContext, ServiceWalk, StreamDeclaration } from '../define/index.ts'
import { CatalogError, PostponedError } from '../errors.ts'
import { reachStep } from '../lib/step.ts'
import type { Lookup } from '../lookup/lookup.ts'
import { type Part, streamId } from '../model.ts'
import { createAsker } from './ask.ts'
import { isStop } from './early-end.ts'
import type { RunEvent } from './events.ts'
import type { Job } from './job.ts'
import type { JobResult } from './job-result.ts'
import { type LakeRun, type ServiceRun, type TableResult, tableResult } from './lake-run.ts'
import { type Postponement, postponementOf } from './postponement.ts'
import { walkRangeStream } from './range/range-stream.ts'
import type { Reach } from './reach.ts'
import { rowsTaken } from './service/commit-unit.ts'
import { walkKeyed } from './service/keyed-walk.ts'
import { observe } from './service/observation-walk.ts'
import { walkOldestFirst } from './service/oldest-first.ts'
import { walkPageChain } from './service/page-chain.ts'
import { type RangeStream, walkRanges } from './service/range-walk.ts'
import { walkSeries } from './service/series-walk.ts'

export type JobRun = LakeRun & {
  readonly reach: Pick<Reach, 'connection' | 'service'>
  readonly lookup: Lookup
}

const usualUnitPages = 500
/** How often in a row a stream begins again because another run stored its rows meanwhile. */
const mostCollisions = 20

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
  const client = createAsker(run.reach)
  const listRun = (): ServiceRun => {
    return {
      ...run,
      emit: (event) => {
        const named = 'pipeline' in event ? { ...event, pipeline: job.name } : event
        run.emit(named.kind === 'progress' ? withWritten(named, results()) : named)
      },
      client,
      pipeline: job.pipeline.name,
      unitPages: (job.values['unit-pages'] as number | undefined) ?? usualUnitPages,
      unknownField: (path) => unknown.set(path, (unknown.get(path) ?? 0) + 1),
      written: (more) => parts.push(...more),
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
  }
  const rangeRun = {
    ...run,
    job: job.name,
    pipeline: job.pipeline.name,
    atHead: (head: number | null) => {
      range.head = head
    },
    committed: (more: readonly Part[], length: number) => {
      parts.push(...more)
      range.containers += length
      range.units++
    },
  }
  const first = streams.find(isRecords)
  const result = (): JobResult => ({
    ...(first === undefined
      ? { kind: 'service' }
      : { kind: 'containers', record: first.walk.record, stream: first.stream.path, ...range }),
    name: job.name,
    pipeline: job.pipeline.name,
    streams: streams.length,
    pages,
    tables: results(),
    seconds: (performance.now() - startedMs) / 1000,
    upToDate: upToDate && parts.length === 0,
    postponed,
  })
  try {
    for (const group of groupsOf(streams)) {
      const [one] = group
      if (isRecords(one)) upToDate = (await walkRangeStream(one, rangeRun)) && upToDate
      else if (run.stop.aborted) break
      else if (!(await walkAgainstOthers(group.filter(isListed), listRun()))) upToDate = false
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
    // It opens again when it is asked; until then what it has read would take memory beside the publishing of views.
    await run.lookup.close()
    for (const [field, times] of unknown)
      run.emit({
        kind: 'warning',
        message: `Answers for ${job.name} hold a field that chainlake does not know: ${field}. It is in no column.`,
        details: { times },
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

/** Streams that are walked together: ranges that fill the same tables, which share commits; any other stream alone. */
function groupsOf(streams: readonly StreamDeclaration[]): [StreamDeclaration, ...StreamDeclaration[]][] {
  const groups: [StreamDeclaration, ...StreamDeclaration[]][] = []
  for (const stream of streams) {
    const last = groups.at(-1)
    if (last !== undefined && isRange(stream) && isRange(last[0]) && sameTables(stream, last[0])) last.push(stream)
    else groups.push([stream])
  }
  return groups
}

function isRecords(stream: StreamDeclaration): stream is StreamDeclaration<Range> {
  return stream.walk.kind === 'range'
}

function isListed(stream: StreamDeclaration): stream is Listed {
  return !isRecords(stream)
}

function isRange(stream: StreamDeclaration): stream is RangeStream {
  const { kind } = stream.walk
  return kind === 'blockWindow' || kind === 'timeWindow' || kind === 'heightRange'
}

function sameTables(a: StreamDeclaration, b: StreamDeclaration): boolean {
  const names = ({ tables }: StreamDeclaration) => Object.values(tables).map(({ name }) => name)
  return names(a).join() === names(b).join()
}

/** Streams of the service. */
type Listed = StreamDeclaration<ServiceWalk>

/** Walks streams; begins again where another run has stored their rows in the meantime. */
async function walkAgainstOthers(group: readonly Listed[], run: ServiceRun): Promise<boolean> {
  let collisions = 0
  const written = (parts: readonly Part[]): void => {
    collisions = 0
    run.written(parts)
  }
  for (;;) {
    try {
      return await walk(group, { ...run, written })
    } catch (error) {
      if (error !== rowsTaken) throw error
      if (++collisions >= mostCollisions) throw tooManyCollisions(group[0] as Listed)
    }
  }
}

function tooManyCollisions({ stream }: Listed): CatalogError {
  return new CatalogError('Another run stores the same rows at the same time, again and again.', {
    code: 'catalog.conflict',
    details: { stream: streamId(stream) },
    hint: 'What is committed stays. Run again when the other run has ended; nothing is stored twice.',
    retryable: true,
  })
}

function walk(group: readonly Listed[], run: ServiceRun): Promise<boolean> {
  const stream = group[0] as Listed
  const { walk, tables } = stream
  const contextOf = (observation: { id: string; observedAt: bigint }) => (): ReadingContext => ({
    observationId: observation.id,
    observedAt: observation.observedAt,
    unknownField: run.unknownField,
    memory: new Map(),
  })
  const context = contextOf({ id: run.runId, observedAt: BigInt(Date.now()) * 1000n })
  const nowMs = () => Date.now()
  switch (walk.kind) {
    case 'pageChain':
      return walkPageChain({ stream, walk, run, context, nowMs })
    case 'oldestFirst':
      return walkOldestFirst({ stream, walk, run, context, nowMs })
    case 'blockWindow':
    case 'timeWindow':
    case 'heightRange':
      return walkRanges({ streams: group.filter(isRange), tables, run, context })
    case 'scan':
    case 'snapshot':
      return observe({ stream, walk, run, context: contextOf, nowMs })
    case 'series':
      return walkSeries({ stream, walk, run, context })
    case 'keyed':
      return walkKeyed({ stream, walk, run, context })
  }
}
