import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { CatalogError, LockedError, StreamTakenError } from '../errors.ts'
import { type Stream, streamId } from '../model.ts'
import type { Held } from '../store/store.ts'
import { changeOnce, inTransaction, type Locks, type Session, type SharedSql } from './session.ts'

/** `running`, `died` (it crashed), or the recorded outcome. */
type RunState = 'running' | 'died' | string

/** The outcome of runs of a catalog that a backup has replaced. The replaced catalog may reference files of these runs. */
export const restoredOutcome = 'restored over'

export type RunStatus = {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly command: string
  readonly streams: readonly string[]
  readonly started: Date
  /** For a run that died: when recovery found it. */
  readonly ended: Date | null
  readonly state: RunState
}

/** Name of the lock that a run, or another owner, holds while it is alive. */
export function runLock(runId: string): string {
  return `run-${runId}`
}

/** The owner of a lock, from its name; the inverse of `runLock`. */
export function ownerOfLock(name: string): string | undefined {
  return /^run-(\w+)$/.exec(name)?.[1]
}

/** All runs, oldest first. The locks determine the state of open runs. */
export async function readRuns(session: Session, locks: Locks, condition = 'true'): Promise<RunStatus[]> {
  const rows = await session.rows<Omit<RunStatus, 'state'> & { readonly outcome: string | null }>(
    `SELECT run_id AS id, pid, host, command, streams, started, ended, outcome FROM chainlake.run WHERE ${condition} ORDER BY run_id`,
  )
  return Promise.all(
    rows.map(async ({ outcome, ...run }) => {
      if (run.ended !== null) return { ...run, state: outcome ?? 'ended' }
      return { ...run, state: (await locks.isHeld(runLock(run.id))) ? 'running' : 'died' }
    }),
  )
}

/** Runs without a recorded end. There are few of them, even in an old lake. */
export function readOpenRuns(session: Session, locks: Locks): Promise<RunStatus[]> {
  return readRuns(session, locks, 'ended IS NULL')
}

/** Whether to keep unreferenced files of the run: it is alive, or another catalog may reference them. */
export function keepsFiles({ state }: RunStatus): boolean {
  return state === 'running' || state === restoredOutcome
}

/** Outcomes of runs without unreferenced files. Recovery records `died` after it has removed the files of the run. */
const leavingNothing = ['done', 'postponed', 'died']

/**
 * Whether a run that ended since the last run began may have left files. Every start cleans up after earlier runs. It always lists the
 * files if another catalog may reference some of them, or if the clock was set back.
 */
export async function mayHaveLeftFiles(session: Session): Promise<boolean> {
  const [row] = await session.rows(
    `SELECT count(*) AS n FROM chainlake.run
     WHERE ended IS NOT NULL AND coalesce(outcome, '') <> ALL($1)
       AND (outcome = $2 OR ended < started OR ended >= (SELECT started FROM chainlake.run ORDER BY run_id DESC LIMIT 1))`,
    [leavingNothing, restoredOutcome],
  )
  return row?.['n'] > 0
}

/** The outcome of a run that lost its work to another run. It may no longer commit. */
const supersededOutcome = 'superseded'

type Registration = { readonly streams: readonly Stream[]; readonly command: string; readonly takesOver?: true }

/**
 * Registers a run. Call it under the exclusive catalog lock. It takes the lock of the run before it writes the row, so a registered run
 * without a held lock is dead.
 *
 * @throws StreamTakenError when live runs hold some of the streams; LockedError when a live run without streams has the same command.
 */
export async function registerRun(
  session: Session,
  locks: Locks,
  open: readonly RunStatus[],
  { streams, command, takesOver }: Registration,
): Promise<{ id: string; lock: Held }> {
  const ids = streams.map(streamId)
  const live = open.filter(({ state }) => state === 'running')
  const superseded = takesOver ? live.filter((run) => run.command === command) : []
  for (const run of superseded) await endRun(session, run.id, supersededOutcome)
  const running = live.filter((run) => !superseded.includes(run))
  const others = running.filter((run) => run.streams.some((stream) => ids.includes(stream)))
  if (others[0] !== undefined) throw streamTaken(others[0], ids, others)
  const same = running.find((run) => ids.length + run.streams.length === 0 && run.command === command)
  if (same !== undefined) throw workTaken(same)
  const id = newRunId(Math.max(Date.now(), (await latestTime(session)) + 1))
  const lock = await locks.take(runLock(id))
  try {
    const values = [id, process.pid, hostname(), command, ids]
    await changeOnce(session, 'INSERT INTO chainlake.run VALUES ($1, $2, $3, $4, $5, now(), NULL, NULL)', values)
  } catch (error) {
    await lock.release()
    throw error
  }
  return { id, lock }
}

/** The latest start time. New ids must be later, so that ids sort by start even if the clock was set back. */
async function latestTime(session: Session): Promise<number> {
  const [row] = await session.rows('SELECT max(run_id) AS latest FROM chainlake.run')
  return runIdTime(row?.['latest'] ?? '') ?? 0
}

/** Takes the lock of an owner of temporary files that is not a run. Call it under the exclusive catalog lock. */
export async function lockOwner(locks: Locks): Promise<Held & { readonly id: string }> {
  const id = newRunId(Date.now())
  return { id, ...(await locks.take(runLock(id))) }
}

/** Records the outcome of a run. If a live run was declared dead or superseded, its outcome is `failed`: it may have left files since. */
export function endRun(session: Session, runId: string, outcome: string): Promise<void> {
  return changeOnce(
    session,
    `UPDATE chainlake.run SET ended = now(), outcome = CASE WHEN ended IS NULL THEN $2 ELSE 'failed' END
     WHERE run_id = $1 AND (ended IS NULL OR outcome IN ('died', 'superseded'))`,
    [runId, outcome],
  )
}

/** CatalogError if recovery has declared the run dead. Its parts were removed, so it must not commit them. */
export async function requireRunning(session: Session, runId: string): Promise<void> {
  const [run] = await session.rows('SELECT outcome, ended IS NULL AS running FROM chainlake.run WHERE run_id = $1', [
    runId,
  ])
  if (run?.['running'] === true) return
  throw new CatalogError('The run cannot commit because it is not registered as running.', {
    code: 'catalog.run-ended',
    details: { run: runId, outcome: run === undefined ? 'not registered' : run['outcome'] },
    hint: 'Another process declared it dead because its lock was missing (was the folder locks/ removed?). Start again.',
  })
}

function workTaken(run: RunStatus): LockedError {
  return new LockedError(`Another process is running ${run.command} on this lake.`, {
    code: 'catalog.work-locked',
    details: { pid: run.pid, host: run.host, run: run.id, started: run.started.toISOString() },
    hint: 'Nothing was changed. Wait until that process ends.',
  })
}

/** The error for a run of these streams while another run holds some of them. `others` are all such runs. */
export function streamTaken(
  run: RunStatus,
  streams: readonly string[],
  others: readonly RunStatus[] = [run],
): StreamTakenError {
  const taken = streams.filter((stream) => others.some((other) => other.streams.includes(stream)))
  const stream = run.streams.find((candidate) => taken.includes(candidate)) ?? ''
  const elsewhere = run.host === hostname() ? '' : ` on ${run.host}`
  return new StreamTakenError(`Another run exports ${stream} into this lake.`, taken, {
    details: {
      pid: run.pid,
      host: run.host,
      command: run.command,
      run: run.id,
      started: run.started.toISOString(),
    },
    hint: `Wait until that run ends (--wait does this), or end process ${run.pid}${elsewhere}.`,
  })
}

const idForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z[0-9a-z]+$/

/** Makes a run id such as `20261121T104500123Zk3f9x2`. Ids sort by start time, contain no `-`, and are part of file names. */
export function newRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')
  const random = Array.from({ length: 6 }, () => randomInt(36).toString(36)).join('')
  return `${time}${random}`
}

/** The time in a run id, in milliseconds since 1970 UTC; null if the id is invalid. */
function runIdTime(id: string): number | null {
  const [, year, month, day, hour, minute, second, ms] = idForm.exec(id) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(time) ? null : time
}

/** Measurements of the last complete run of a job. */
export type Measure = {
  /** Name of the job in chainlake.yaml, or name of the pipeline. */
  readonly job: string
  readonly pipeline: string
  /** When it ended, in milliseconds since 1970 UTC. */
  readonly endedAtMs: number
  /** Duration in milliseconds. */
  readonly milliseconds: number
  /** Number of records that were read from ranges: containers or blocks. */
  readonly records: number
  /** Number of requests for pages of lists and for single answers. */
  readonly requests: number
}

/** Facts about a run that are not rows of the lake. They make no snapshot. */
export type RunRecord = {
  /** When the run last reached the head of each stream, by stream id, in milliseconds since 1970 UTC. */
  readonly reached: ReadonlyMap<string, number>
  readonly measures: readonly Measure[]
}

/** Replaces the records of these streams and jobs. */
export async function writeRunRecord(session: Session, { reached, measures }: RunRecord): Promise<void> {
  if (reached.size === 0 && measures.length === 0) return
  await inTransaction(session, async () => {
    await session.run('DELETE FROM chainlake.reached WHERE stream IN (SELECT unnest($1::VARCHAR[]))', [
      [...reached.keys()],
    ])
    await session.append('chainlake', 'reached', [...reached])
    const useful = await usefulAmong(session, measures)
    for (const { job, pipeline } of useful)
      await session.run('DELETE FROM chainlake.measure WHERE job = $1 AND pipeline = $2', [job, pipeline])
    await session.append(
      'chainlake',
      'measure',
      useful.map(({ job, pipeline, endedAtMs, milliseconds, records, requests }) => {
        return [job, pipeline, endedAtMs, Math.round(milliseconds), records, requests]
      }),
    )
  })
}

/** From this number of records on, a measurement is always useful. With fewer records, the start of the run dominates the duration. */
const minUsefulRecords = 1_000

/** The measurements that are better than the stored ones. */
async function usefulAmong(session: Session, measures: readonly Measure[]): Promise<readonly Measure[]> {
  if (measures.length === 0) return []
  const known = await readMeasures(session)
  return measures.filter(({ job, pipeline, records, requests }) => {
    const before = known.find((each) => each.job === job && each.pipeline === pipeline)
    return requests > 0 || records >= Math.min(minUsefulRecords, before?.records ?? 0)
  })
}

/** When a run last reached the head of each stream, in milliseconds since 1970 UTC. */
export async function readReached(session: Session): Promise<Map<string, number>> {
  const rows = await session.rows('SELECT stream, reached_ms FROM chainlake.reached')
  return new Map(rows.map((row) => [row['stream'], row['reached_ms']]))
}

export async function readMeasures(session: Session): Promise<Measure[]> {
  return session.rows(
    `SELECT job, pipeline, ended_ms AS "endedAtMs", duration_ms AS milliseconds, record_count AS records, request_count AS requests
     FROM chainlake.measure ORDER BY job, pipeline`,
  )
}

/** The queue of worker tasks. pg-boss creates its tables in the database of the catalog. */
export const taskQueue = { name: 'chainlake', table: 'pgboss.job' } as const

/** Number of tasks by state. Completed and abandoned tasks are kept for some days. */
export type TaskCounts = {
  readonly waiting: number
  readonly underWay: number
  /** Failed tasks that wait for a retry. */
  readonly again: number
  readonly done: number
  readonly givenUp: number
}

export async function countTasks({ query }: SharedSql): Promise<TaskCounts | null> {
  const [queue] = await query(`SELECT to_regclass('${taskQueue.table}') IS NOT NULL AS exists`)
  if (queue?.['exists'] !== true) return null
  const rows = await query(
    `SELECT state::text AS state, count(*)::int AS n FROM ${taskQueue.table} WHERE name = $1 GROUP BY 1`,
    [taskQueue.name],
  )
  const counts = new Map(rows.map((row) => [row['state'] as string, row['n'] as number]))
  const of = (state: string): number => counts.get(state) ?? 0
  return {
    waiting: of('created'),
    underWay: of('active'),
    again: of('retry'),
    done: of('completed'),
    givenUp: of('failed') + of('cancelled'),
  }
}
