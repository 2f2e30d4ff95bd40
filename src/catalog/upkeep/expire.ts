import { reachStep } from '../../lib/step.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import { restoredOutcome } from '../runs/runs.ts'
import type { Backend } from '../session/backend.ts'
import { inTransaction, type Session } from '../session/session.ts'

/** The command of runs that expire snapshots. */
export const expireCommand = 'expire'

/** Expires snapshots, and removes files some time after the last snapshot and publication that showed them. */
export type Expiry = {
  /**
   * Removes all snapshots older than the one that was the latest at `before`. Files that no remaining snapshot shows leave the catalog and
   * wait for removal.
   */
  readonly forget: (before: Date) => Promise<Forgotten>
  /** Records that the current publication does not show the waiting files. Their waiting time begins. */
  readonly published: (now: Date) => Promise<void>
  /** Removes the files that have waited since `since` or longer. Returns their number. */
  readonly removeWaiting: (since: Date) => Promise<number>
  /** See `readLastExpiry`. */
  readonly lastBegun: () => Promise<Date | null>
  /** The number of waiting files. */
  readonly waiting: () => Promise<number>
}

export type Forgotten = {
  readonly snapshots: number
  readonly files: number
  readonly bytes: number
  /** The oldest remaining snapshot. */
  readonly oldest: number
}

type Read = <T>(use: (session: Session) => Promise<T>) => Promise<T>

export function createExpiry(read: Read, write: Backend['write'], store: Store): Expiry {
  return {
    forget: async (before) => {
      const forgotten = await write((session) => forgetSnapshots(session, before))
      reachStep('expire.after-close')
      return forgotten
    },
    published: async (now) => {
      await write((session) =>
        inTransaction(session, () =>
          session.run(
            `UPDATE main.ducklake_files_scheduled_for_deletion SET schedule_start = $1::TIMESTAMPTZ
             WHERE schedule_start IS NULL AND ${isWaiting}`,
            [now.toISOString()],
          ),
        ),
      )
      reachStep('expire.after-mark')
    },
    removeWaiting: (since) => write((session) => removeWaiting(session, store, since)),
    lastBegun: () => read(readLastExpiry),
    waiting: () =>
      read(async (session) => {
        const [row] = await session.rows(
          `SELECT count(*) AS n FROM main.ducklake_files_scheduled_for_deletion WHERE ${isWaiting}`,
        )
        return row?.['n'] ?? 0
      }),
  }
}

/** When the last run that expires snapshots began; null: never. */
export async function readLastExpiry(session: Session): Promise<Date | null> {
  const [row] = await session.rows('SELECT max(started) AS begun FROM chainlake.run WHERE command = $1', [
    expireCommand,
  ])
  return row?.['begun'] ?? null
}

/** Condition for waiting files. DuckLake also schedules replaced files that earlier snapshots still show; these do not wait yet. */
const isWaiting = 'data_file_id NOT IN (SELECT data_file_id FROM main.ducklake_data_file)'

async function forgetSnapshots(session: Session, before: Date): Promise<Forgotten> {
  reachStep('expire.before-begin')
  const forgotten = await inTransaction(session, async () => {
    const [found] = await session.rows(
      `SELECT coalesce(max(snapshot_id) FILTER (WHERE snapshot_time <= $1::TIMESTAMPTZ), min(snapshot_id)) AS oldest FROM main.ducklake_snapshot`,
      [before.toISOString()],
    )
    const oldest: number = found?.['oldest']
    const [snapshots] = await session.rows('SELECT count(*) AS n FROM main.ducklake_snapshot WHERE snapshot_id < $1', [
      oldest,
    ])
    for (const table of ['ducklake_snapshot', 'ducklake_snapshot_changes'])
      await session.run(`DELETE FROM main.${table} WHERE snapshot_id < $1`, [oldest])
    const { files, bytes } = await forgetFiles(session, oldest)
    await forgetRuns(session, before)
    return { snapshots: snapshots?.['n'] ?? 0, files, bytes, oldest }
  })
  reachStep('expire.after-commit')
  return forgotten
}

/**
 * Removes records of runs that ended before a time. The last run of each stream and of each command stays, because it shows when something
 * was last done. Runs with files that another catalog may reference stay, too.
 */
async function forgetRuns(session: Session, before: Date): Promise<void> {
  await session.run(
    `DELETE FROM chainlake.run WHERE ended <= $1::TIMESTAMPTZ AND outcome <> $2
       AND run_id NOT IN (SELECT max(run_id) FROM chainlake.run GROUP BY command)
       AND run_id NOT IN (SELECT max(run_id) FROM (SELECT run_id, unnest(streams) AS stream FROM chainlake.run) s GROUP BY stream)`,
    [before.toISOString(), restoredOutcome],
  )
}

/** Moves files that no remaining snapshot shows to the waiting list. They ended before the oldest snapshot, or with it. */
async function forgetFiles(session: Session, oldest: number): Promise<{ files: number; bytes: number }> {
  await session.run('DROP TABLE IF EXISTS forgotten')
  await session.run(
    `CREATE TEMP TABLE forgotten AS
     SELECT d.data_file_id, t.path || d.path AS path, d.file_size_bytes AS bytes
     FROM main.ducklake_data_file d
     JOIN (SELECT table_id, max(path) AS path FROM main.ducklake_table GROUP BY table_id) t USING (table_id)
     WHERE d.end_snapshot <= ${oldest}`,
  )
  await session.run(
    'DELETE FROM main.ducklake_files_scheduled_for_deletion WHERE data_file_id IN (SELECT data_file_id FROM forgotten)',
  )
  await session.run(
    `INSERT INTO main.ducklake_files_scheduled_for_deletion
     SELECT data_file_id, path, true, NULL FROM forgotten ORDER BY data_file_id`,
  )
  for (const table of [...ducklakeOfFiles.map((name) => `main.${name}`), 'chainlake.file', 'chainlake.compacted_file'])
    await session.run(`DELETE FROM ${table} WHERE data_file_id IN (SELECT data_file_id FROM forgotten)`)
  reachStep('expire.after-files')
  const [sum] = await session.rows('SELECT count(*) AS n, coalesce(sum(bytes), 0)::BIGINT AS bytes FROM forgotten')
  await session.run('DROP TABLE forgotten')
  return { files: sum?.['n'] ?? 0, bytes: sum?.['bytes'] ?? 0 }
}

const ducklakeOfFiles = [
  'ducklake_data_file',
  'ducklake_file_column_stats',
  'ducklake_file_variant_stats',
  'ducklake_file_partition_value',
]

/** Removes files first and their records afterwards. After a crash in between, the next run repeats both. */
async function removeWaiting(session: Session, store: Store, since: Date): Promise<number> {
  const rows = await session.rows(
    `SELECT data_file_id AS id, path FROM main.ducklake_files_scheduled_for_deletion
     WHERE schedule_start <= $1::TIMESTAMPTZ AND ${isWaiting}`,
    [since.toISOString()],
  )
  for (const { path } of rows) await store.remove(inDataFolder(path))
  if (rows.length === 0) return 0
  reachStep('expire.after-removal')
  await inTransaction(session, () =>
    session.run(
      `DELETE FROM main.ducklake_files_scheduled_for_deletion WHERE data_file_id IN (${rows.map(({ id }) => id).join(', ')})`,
    ),
  )
  return rows.length
}
