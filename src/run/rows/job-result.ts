import type { Part } from '../../model.ts'
import type { Postponement } from '../job/postponement.ts'

/** What one round of a job did. */
export type JobResult = PagesResult | RangeResult

/** Keys that a source had no row for. */
export type Unanswered = {
  readonly reason: string
  readonly hint: string
  readonly count: number
  /** The first of them, no more than 10,000. */
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
  /** What keeps it from going on now; null when it was done or stopped. */
  readonly postponed: Postponement | null
  /** True when the run was told to stop while the job was at work: there may be more to do. */
  readonly interrupted: boolean
  /** Absent when each key that was asked for has a row. */
  readonly unanswered?: Unanswered
}

/** Of a job over routes of the service. */
export type PagesResult = AnyResult & { readonly kind: 'service' }

/** Of a job over records that have coordinates. */
export type RangeResult = AnyResult & {
  /** `containers`, whatever the records are called. */
  readonly kind: 'containers'
  /** What people call a record: `container`, `block`. */
  readonly record: string
  /** As the range has it: the head is the height of a block less 1. */
  readonly byHeight?: true | undefined
  /** Path of the stream, such as `P/block`. */
  readonly stream: string
  /** Last coordinate that is final; null when there is none. */
  readonly head: number | null
  /** Coordinates that were read. */
  readonly containers: number
  readonly units: number
}

/** What two rounds of a job did together. */
export function addResults(before: JobResult | undefined, now: JobResult): JobResult {
  if (before === undefined) return now
  const both = {
    seconds: before.seconds + now.seconds,
    upToDate: before.upToDate && now.upToDate,
    tables: addTables(before.tables, now.tables),
    pages: before.pages + now.pages,
  }
  if (now.kind === 'service' || before.kind === 'service') return { ...now, ...both }
  return { ...now, ...both, containers: before.containers + now.containers, units: before.units + now.units }
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

export type TableResult = {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

/** What was written of a table. */
export function tableResult(name: string, parts: readonly Part[]): TableResult {
  const own = parts.filter((part) => part.table === name)
  return {
    name,
    rows: own.reduce((sum, part) => sum + part.rows, 0),
    bytes: own.reduce((sum, part) => sum + part.bytes, 0),
    files: own.length,
  }
}
