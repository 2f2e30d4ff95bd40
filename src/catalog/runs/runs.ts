import { hostname } from 'node:os'
import { CatalogError, LockedError, StreamTakenError } from '../../errors.ts'
import { type Stream, streamId } from '../../model.ts'
import type { Lock, Locks } from '../session/backend.ts'
import { inTransaction, type Row, type Session } from '../session/session.ts'
import { newRunId, runIdTime } from './run-id.ts'

/** `running`; `died`: it ended without saying so; else what it ended with. */
export type RunState = 'running' | 'died' | string

/** What runs end with whose catalog was replaced by a backup: the other catalog may name files that they wrote. */
export const restoredOutcome = 'restored over'

export type RunStatus = {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly command: string
  readonly streams: readonly string[]
  readonly started: Date
  /** For a run that died: when that was found, else null. */
  readonly ended: Date | null
  readonly state: RunState
}

/** Name of the lock that a run, or another owner, holds while it lives. */
export function runLock(runId: string): string {
  return `run-${runId}`
}

/** Whose lock it is; the opposite of `runLock`. */
export function ownerOfLock(name: string): string | undefined {
  return /^run-(\w+)$/.exec(name)?.[1]
}

/** All runs, oldest first. The state of open ones is that of their locks. */
export async function readRuns(session: Session, locks: Locks): Promise<RunStatus[]> {
  const rows = await session.rows('SELECT * FROM chainlake.run ORDER BY run_id')
  return Promise.all(rows.map((row) => runStatus(row, locks)))
}

/** Those that have not said that they ended: of a lake that is used for years there are few. */
export async function readOpenRuns(session: Session, locks: Locks): Promise<RunStatus[]> {
  const rows = await session.rows('SELECT * FROM chainlake.run WHERE ended IS NULL ORDER BY run_id')
  return Promise.all(rows.map((row) => runStatus(row, locks)))
}

/** What runs end with that have committed or removed every file that they wrote; `died` is written when what is left was removed. */
const leavingNothing = ['done', 'postponed', 'died']

/**
 * Whether a run that ended since the last one began may have left files: each start looks after those that ended before it. While files lie
 * there that another catalog may name, and where the clock was set back, every start looks.
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

async function runStatus(row: Row, locks: Locks): Promise<RunStatus> {
  const id: string = row['run_id']
  const open = row['ended'] === null
  return {
    id,
    pid: row['pid'],
    host: row['host'],
    command: row['command'],
    streams: row['streams'],
    started: row['started'],
    ended: row['ended'],
    state: open ? ((await locks.isHeld(runLock(id))) ? 'running' : 'died') : (row['outcome'] ?? 'ended'),
  }
}

/** What a run ends with whose work was given to another one: it may not commit any more. */
const supersededOutcome = 'superseded'

type Registration = { readonly streams: readonly Stream[]; readonly command: string; readonly takesOver?: true }

/**
 * Registers a run; call it while the catalog is held exclusively. The lock is taken before the row is written, so a
 * registered run without a held lock is dead.
 *
 * @throws StreamTakenError at once when live runs have some of the streams; LockedError when one does the same work on the lake, for no
 * stream, as this one.
 */
export async function registerRun(
  session: Session,
  locks: Locks,
  open: readonly RunStatus[],
  { streams, command, takesOver }: Registration,
): Promise<{ id: string; lock: Lock }> {
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
    await inTransaction(session, () =>
      session.run('INSERT INTO chainlake.run VALUES ($1, $2, $3, $4, $5, now(), NULL, NULL)', [
        id,
        process.pid,
        hostname(),
        command,
        ids,
      ]),
    )
  } catch (error) {
    await lock.release()
    throw error
  }
  return { id, lock }
}

/** Ids sort by the order of starts, also where the clock went back. */
async function latestTime(session: Session): Promise<number> {
  const [row] = await session.rows('SELECT max(run_id) AS latest FROM chainlake.run')
  return runIdTime(row?.['latest'] ?? '') ?? 0
}

/** Who owns temporary files without being a run. */
export type Owner = { readonly id: string; readonly release: () => Promise<void> }

/** Call it while the catalog is held exclusively. */
export async function lockOwner(locks: Locks): Promise<Owner> {
  const id = newRunId(Date.now())
  return { id, ...(await locks.take(runLock(id))) }
}

/** Writes what a run ended with. One that was taken for dead and was not has failed: it may have left files since. */
export async function endRun(session: Session, runId: string, outcome: string): Promise<void> {
  await inTransaction(session, () =>
    session.run(
      `UPDATE chainlake.run SET ended = now(), outcome = CASE WHEN ended IS NULL THEN $2 ELSE 'failed' END
       WHERE run_id = $1 AND (ended IS NULL OR outcome = 'died')`,
      [runId, outcome],
    ),
  )
}

/** CatalogError for a run that recovery took for dead: it has lost its parts and must not commit them. */
export async function requireRunning(session: Session, runId: string): Promise<void> {
  const [run] = await session.rows('SELECT outcome, ended IS NULL AS running FROM chainlake.run WHERE run_id = $1', [
    runId,
  ])
  if (run?.['running'] === true) return
  throw new CatalogError('The run is not registered as running, so it may not commit.', {
    code: 'catalog.run-ended',
    details: { run: runId, outcome: run === undefined ? 'not registered' : run['outcome'] },
    hint: 'Another process took it for dead since its lock was gone (was the folder locks/ removed?). Start again.',
  })
}

function workTaken(run: RunStatus): LockedError {
  return new LockedError(`Another process does the same work on this lake: ${run.command}.`, {
    code: 'catalog.work-locked',
    details: { pid: run.pid, host: run.host, run: run.id, started: run.started.toISOString() },
    hint: 'Wait until it ends; nothing was changed.',
  })
}

/** What a run of these streams is refused with while another one has some of them; `others` are all runs that do. */
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
    hint: `Wait until it ends (--wait does), or end process ${run.pid}${elsewhere}; a run can start at once after that.`,
  })
}
