import type { RegisteredRun } from '../catalog/catalog.ts'
import { firstLost, lostText } from '../catalog/lost-files.ts'
import type { ErrorFacts, PostponedError } from '../errors.ts'
import type { LongWait } from '../fetch/waits.ts'
import { getOrCreate, sumOf } from '../lib/arrays.ts'
import { durationText } from '../lib/text.ts'
import { aboutBlocks, type Part, type Slice } from '../model.ts'

/**
 * An event of a run. The command line turns events into progress and log lines. `pipeline` is the name of the job, if it has one. Slices
 * and heads are coordinates.
 */
export type RunEvent =
  | Message<'warning'>
  | Message<'notice'>
  | {
      readonly kind: 'retry'
      readonly url: string
      readonly attempt: number
      readonly waitMs: number
      readonly reason: string
      /** The source is there and refuses requests because of their rate. */
      readonly limited?: true
      /** The endpoint has not answered yet and refuses connections: whether this is the first such failure. */
      readonly unreached?: 'first' | 'again'
    }
  /** Requests sent to a host (its origin) since the last event of this kind, including retries, and their compute units. */
  | { readonly kind: 'requests'; readonly host: string; readonly requests: number; readonly units: number }
  | {
      readonly kind: 'planned'
      readonly pipeline: string
      readonly units: number
      /** Name of a record, such as `container` or `block`. */
      readonly record: string
      /** Number of records to fetch, each counted once. */
      readonly records: number
      /** Last coordinate that is final. */
      readonly head: number
    }
  /**
   * A round of a job begins or has ended: a run has one round of each job, and with `follow` one at each check. `atHead`: it ended at the head
   * of its source.
   */
  | { readonly kind: 'round'; readonly pipeline: string; readonly is: 'begun' | 'ended'; readonly atHead?: true }
  | {
      readonly kind: 'progress'
      readonly pipeline: string
      readonly done: number
      /** 0: unknown, as for a list. */
      readonly total: number
      readonly rows: number
      readonly bytes: number
      /** The stream that the job reads, counted from 1, where it has several one after another. */
      readonly stream?: { readonly number: number; readonly of: number }
      /** Pages that the job has read. */
      readonly pages?: number
      /** Where a list of unknown length is. */
      readonly span?: ItemSpan
    }
  | {
      readonly kind: 'committed'
      readonly pipeline: string
      /** Null for rows of lists and observations. */
      readonly slice: Slice | null
      readonly snapshotId: number
      readonly rows: number
      /** The latest `block_time` of these rows, ISO 8601 in UTC; absent where no row has one. */
      readonly newest?: string
    }
  | {
      readonly kind: 'merged'
      readonly table: string
      readonly files: number
      readonly into: number
      readonly snapshotId: number
    }
  /** Numbers of expired snapshots, of files that no snapshot contains any more, and of removed files. */
  | { readonly kind: 'expired'; readonly snapshots: number; readonly files: number; readonly removed: number }
  /** Files that a commit made visible, including files of the run's own tables. */
  | { readonly kind: 'stored'; readonly snapshotId: number; readonly parts: readonly Part[]; readonly seconds: number }
  | { readonly kind: 'published'; readonly snapshotId: number; readonly seconds: number }
  | {
      readonly kind: 'waiting'
      readonly pipeline: string
      readonly head: number | null
      /** Name of a record; absent for a list. */
      readonly record?: string
      /** Milliseconds until the next check of the source, at most. */
      readonly nextMs: number
    }

/** Unix seconds of items: where reading began, the last item that was read, and where reading is expected to end. */
type ItemSpan = { readonly from: number; readonly at: number; readonly to: number }

/** `once`: the message describes a permanent fact, such as data that a source does not have. A command shows it only once. */
type Message<Kind extends string> = {
  readonly kind: Kind
  readonly message: string
  readonly details?: ErrorFacts
  readonly once?: true
}

/** The warning for a wait that is longer than usual. */
export function longWaitEvent({ url, waitMs, until, said, maxWaitMs }: LongWait): RunEvent {
  return {
    kind: 'warning',
    message: `${url} accepts no requests for ${durationText(waitMs / 1000)} (${said}); the run waits.`,
    details: { until: until.toISOString(), 'longest wait (--max-wait)': durationText(maxWaitMs / 1000) },
  }
}

/** Receives the events of a run. */
export type EmitEvent = (event: RunEvent) => void

/** Messages that each listener has received already. All runs of a command share one listener. */
const received = new WeakMap<EmitEvent, Set<string>>()

/** Passes events to a listener, and of repeated messages that are marked `once` only the first. */
export function withoutRepeats(emit: EmitEvent): EmitEvent {
  const messages = getOrCreate(received, emit, () => new Set())
  return (event) => {
    if ((event.kind === 'warning' || event.kind === 'notice') && event.once === true) {
      if (messages.has(event.message)) return
      messages.add(event.message)
    }
    emit(event)
  }
}

/**
 * Reports what the start of a run has cleaned up after crashed runs, files of unknown origin, and lost files of tables that this run does not
 * write: it continues.
 */
export function reportStart({ recovery, lost }: Pick<RegisteredRun, 'recovery' | 'lost'>, emit: EmitEvent): void {
  const { died, removed, unknown, restarted } = recovery
  const warn = (message: string, details: ErrorFacts) => emit({ kind: 'warning', message, details })
  if (died.length > 0)
    emit({
      kind: 'notice',
      message: 'An earlier run has crashed; its uncommitted files were removed.',
      details: { runs: died.join(', '), files: removed.length },
    })
  if (unknown.length > 0)
    warn(
      'Files of unknown origin are under data/: no commit and no run of this lake names them. They were not changed.',
      { files: unknown.length, first: unknown[0] },
    )
  if (restarted.length > 0)
    warn('Files of incomplete observations are missing; these observations start again.', {
      readings: restarted.length,
    })
  if (lost.length > 0)
    warn(`In tables that this run does not write, ${lostText(lost)}.`, {
      tables: [...new Set(lost.map(({ table }) => table))].join(', '),
      first: firstLost(lost),
    })
}

/** Why and until when a job is postponed. Its complete prefix is committed. */
export type Postponement = {
  /** The earliest time to resume: RFC 3339, UTC. */
  readonly resumeAt: string
  readonly reason: string
  /** What the user can do, as one sentence. */
  readonly hint: string | null
}

export function postponementOf({ message, resumeAt, hint }: PostponedError): Postponement {
  return { resumeAt: resumeAt.toISOString(), reason: message, hint: hint ?? null }
}

/** The postponement that ends first; null when there is none. */
export function earliest(postponements: readonly Postponement[]): Postponement | null {
  return [...postponements].sort((a, b) => Date.parse(a.resumeAt) - Date.parse(b.resumeAt))[0] ?? null
}

/** The fields of answers for a job that no column holds. */
export function createUnknownFields(job: string) {
  const counts = new Map<string, number>()
  const named = new Set<string>()
  return {
    /** `seen`: in how many answers or records each field was seen. */
    add(seen: Readonly<Record<string, number>>): void {
      for (const [path, times] of Object.entries(seen)) counts.set(path, (counts.get(path) ?? 0) + times)
    },
    /** Warns of the fields that no warning has named yet, in one sentence; its details say how often each was seen. */
    warn(emit: EmitEvent): void {
      const fresh = [...counts.keys()].filter((name) => !named.has(name)).sort()
      for (const name of fresh) named.add(name)
      const times = (names: readonly string[]) => names.map((name) => `${nameOf(name)} ${counts.get(name)}`).join(', ')
      const warn = (message: string, about: readonly string[]) =>
        emit({ kind: 'warning', message, details: { times: times(about) }, once: true })
      const remarks = fresh.filter((name) => name.startsWith(aboutBlocks))
      if (remarks.length > 0)
        warn(
          `Some blocks of ${job} are not like those of most chains: ${remarks.map(nameOf).join('; ')}. The rows hold what the node states.`,
          remarks,
        )
      const names = fresh.filter((name) => !name.startsWith(aboutBlocks))
      if (names.length === 0) return
      const [what, stored] = names.length === 1 ? ['a field', 'It is'] : ['fields', 'They are']
      warn(
        `Responses for ${job} contain ${what} that chainlake does not know: ${names.join(', ')}. ${stored} stored in no column.`,
        names,
      )
    },
  }
}

function nameOf(name: string): string {
  return name.startsWith(aboutBlocks) ? name.slice(aboutBlocks.length) : name
}

/** The result of one round of a job. */
export type JobResult = ListResult | RangeResult

/** Keys for which the source has no row. */
type Unanswered = {
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

type ListResult = AnyResult & { readonly kind: 'list' }

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

export type JobProgress = Omit<AnyResult, 'name' | 'pipeline' | 'streams' | 'tables'> &
  Pick<RangeResult, 'head' | 'records' | 'units'> & { readonly parts: readonly Part[] }

/** A job for which nothing was new. */
export const nothingDone: JobProgress = {
  pages: 0,
  seconds: 0,
  upToDate: true,
  postponed: null,
  interrupted: false,
  head: null,
  records: 0,
  units: 0,
  parts: [],
}

/** The result of a job. `tables`: names of its tables; `range`: its range over records, null when it has none. */
export function jobResult(
  {
    range,
    tables,
    ...job
  }: Pick<AnyResult, 'name' | 'pipeline' | 'streams'> & {
    readonly tables: readonly string[]
    readonly range: Pick<RangeResult, 'record' | 'stream'> | null
  },
  done: Partial<JobProgress>,
): JobResult {
  const { head, records, units, parts, pages, ...rest } = { ...nothingDone, ...done }
  const common: AnyResult = { ...job, pages, tables: tables.map((name) => tableResult(name, parts)), ...rest }
  return range === null ? { kind: 'list', ...common } : { kind: 'range', ...range, head, records, units, ...common }
}

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
  return now.map(({ name, rows, bytes, files }) => {
    const earlier = before.find((table) => table.name === name) ?? { rows: 0, bytes: 0, files: 0 }
    return { name, rows: earlier.rows + rows, bytes: earlier.bytes + bytes, files: earlier.files + files }
  })
}

/** What a job has written to a table. */
export type TableResult = {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

function tableResult(name: string, parts: readonly Part[]): TableResult {
  const own = parts.filter((part) => part.table === name)
  return { name, rows: sumOf(own, 'rows'), bytes: sumOf(own, 'bytes'), files: own.length }
}
