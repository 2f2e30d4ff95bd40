import type { Part } from '../../model.ts'
import type { Postponement } from '../job/postponement.ts'

/** The result of one round of a job. */
export type JobResult = ListResult | RangeResult

/** Keys for which the source has no row. */
export type Unanswered = {
  readonly reason: string
  readonly hint: string
  readonly count: number
  /** The first 10,000 keys. */
  readonly ids: readonly string[]
}

type AnyResult = {
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly name: string
  readonly pipeline: string
  readonly streams: number
  /** Pages and single answers that were read. */
  readonly pages: number
  readonly tables: readonly TableResult[]
  readonly seconds: number
  /** True when nothing was new. */
  readonly upToDate: boolean
  /** Why and until when the job is postponed; null when it is done or was stopped. */
  readonly postponed: Postponement | null
  /** True when the run was stopped during the job: there may be more to do. */
  readonly interrupted: boolean
  /** Only set when requested keys have no row. */
  readonly unanswered?: Unanswered
}

/** The result of a job over lists. */
export type ListResult = AnyResult & { readonly kind: 'list' }

/** The result of a job over records with coordinates. */
export type RangeResult = AnyResult & {
  readonly kind: 'range'
  /** The name of a record: `container`, `block`. */
  readonly record: string
  /** Path of the stream, such as `P/block`. */
  readonly stream: string
  /** The last final coordinate; null when there is none. */
  readonly head: number | null
  /** Number of records that were read; one that several streams read counts for each of them. */
  readonly records: number
  readonly units: number
}

/** What a result is about. */
type JobOutline = Pick<AnyResult, 'name' | 'pipeline' | 'streams'> & {
  /** Names of the tables of the job. */
  readonly tables: readonly string[]
  /** The range over records of the job; null when it has none. */
  readonly range: Pick<RangeResult, 'record' | 'stream'> | null
}

/** What a job has done. */
type JobProgress = Pick<AnyResult, 'pages' | 'seconds' | 'upToDate' | 'postponed' | 'interrupted'> &
  Pick<RangeResult, 'head' | 'records' | 'units'> & {
    readonly parts: readonly Part[]
    readonly unanswered?: Unanswered | undefined
  }

/** The result of a job that has done `done`. Default: nothing, because nothing was new. */
export function jobResult({ range, ...job }: JobOutline, done: Partial<JobProgress>): JobResult {
  const { head = null, records = 0, units = 0, parts = [], unanswered } = done
  const common: AnyResult = {
    name: job.name,
    pipeline: job.pipeline,
    streams: job.streams,
    pages: done.pages ?? 0,
    tables: job.tables.map((name) => tableResult(name, parts)),
    seconds: done.seconds ?? 0,
    upToDate: done.upToDate ?? true,
    postponed: done.postponed ?? null,
    interrupted: done.interrupted ?? false,
    ...(unanswered === undefined ? {} : { unanswered }),
  }
  return range === null ? { kind: 'list', ...common } : { kind: 'range', ...range, head, records, units, ...common }
}

/** The combined result of two rounds of a job. */
export function addResults(before: JobResult | undefined, now: JobResult): JobResult {
  if (before === undefined) return now
  const both = {
    seconds: before.seconds + now.seconds,
    upToDate: before.upToDate && now.upToDate,
    tables: addTables(before.tables, now.tables),
    pages: before.pages + now.pages,
  }
  if (now.kind === 'list' || before.kind === 'list') return { ...now, ...both }
  return { ...now, ...both, records: before.records + now.records, units: before.units + now.units }
}

function addTables(before: readonly TableResult[], now: readonly TableResult[]): TableResult[] {
  return now.map((table) => {
    const earlier = before.find(({ name }) => name === table.name)
    if (earlier === undefined) return table
    return {
      name: table.name,
      rows: earlier.rows + table.rows,
      bytes: earlier.bytes + table.bytes,
      files: earlier.files + table.files,
    }
  })
}

/** What a job has written to a table. */
export type TableResult = {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

/** The rows, bytes and files that were written to a table. */
function tableResult(name: string, parts: readonly Part[]): TableResult {
  const own = parts.filter((part) => part.table === name)
  return {
    name,
    rows: own.reduce((sum, part) => sum + part.rows, 0),
    bytes: own.reduce((sum, part) => sum + part.bytes, 0),
    files: own.length,
  }
}
