import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { DerivedView, Table } from '../define/index.ts'
import { ownerOfTemporary } from '../lib/files.ts'
import { reachStep } from '../lib/step.ts'
import { type Stream, streamId } from '../model.ts'
import { inDataFolder, readDataFileName } from '../store/data-file-path.ts'
import type { Claim, Held, Store } from '../store/store.ts'
import { newCatalogPrefix, publishedDraft } from './duckdb/duckdb-file.ts'
import { readVisibleFiles } from './files.ts'
import { verifyPlace } from './lake.ts'
import { findLost, lostError, namedFiles, restartBroken } from './lost-files.ts'
import type { LakePaths } from './place.ts'
import {
  endRun,
  keepsFiles,
  mayHaveLeftFiles,
  type RunRecord,
  type RunStatus,
  readOpenRuns,
  readRuns,
  registerRun,
  restoredOutcome,
  runLock,
  writeRunRecord,
} from './runs.ts'
import {
  type Backend,
  changeOnce,
  inTransaction,
  type Locks,
  latestSnapshot,
  type Session,
  type WaitOptions,
} from './session.ts'
import {
  addStreams,
  type NetworkFacts,
  recordNetwork,
  recordOwnViews,
  recordStreamFacts,
  type StreamFacts,
} from './streams.ts'
import { declareTables, verifyDeclarations, withLakeIds } from './tables.ts'

type RegistrationOptions = {
  readonly streams: readonly Stream[]
  readonly command: string
  /** Ends live runs of the same command instead of waiting for them: their process lost its work to this one. */
  readonly takesOver?: true
  /** Names of tables. */
  readonly writes?: readonly string[]
  /** Tables of own pipelines: they are created or changed before the run writes files. */
  readonly tables?: readonly Table[]
  /** Drops columns that these tables no longer declare. Otherwise the run is refused. */
  readonly dropsColumns?: true
  /** Views of own pipelines. */
  readonly views?: readonly DerivedView[]
  /** Views of own pipelines that the lake no longer shows. */
  readonly endedViews?: readonly Pick<DerivedView, 'name'>[]
  /** Facts about the streams that the run, or workers for it, will commit. */
  readonly declares?: readonly StreamFacts[]
  /** Facts about the network. The catalog stores them first, or compares them with the stored ones. */
  readonly network?: NetworkFacts
  /** Streams to report in `covered` of the result. */
  readonly checkCovered?: readonly Stream[]
}

export type RegisteredRun = Readonly<Awaited<ReturnType<typeof startRun>>>

type RunStart = {
  readonly paths: LakePaths
  readonly tables: readonly Table[]
  readonly locks: Locks
  readonly write: Backend['write']
  readonly recordCatalogPlace: (session: Session) => Promise<void>
  readonly starting: WaitOptions
  readonly ending: WaitOptions
}

/** Commands that always list all data files. Other commands skip this when they can, so that they start fast in a lake of a million files. */
const upkeepCommands = ['compact', 'expire', 'repair']

export async function startRun(
  { paths, tables, locks, write, recordCatalogPlace, starting, ending }: RunStart,
  options: RegistrationOptions,
) {
  let taken: Held | null = null
  const { id, lock, ...found } = await write(async (session) => {
    if (options.network !== undefined) await recordNetwork(session, options.network)
    await recordCatalogPlace(session)
    await verifyPlace(session, paths)
    const declared = await withLakeIds(session, options.tables ?? [], options.dropsColumns ? 'drop' : 'refuse')
    await verifyDeclarations(session, [...tables, ...declared])
    const visible = await readVisibleFiles(session)
    const lost = await findLost(paths.store, visible)
    const own = lost.filter(({ table }) => options.writes?.includes(table))
    if (own.length > 0) throw lostError(paths.lake, own, 'The run cannot begin: ')
    const open = await readOpenRuns(session, locks)
    const { lakeId } = await latestSnapshot(session)
    const covered = await coveredAmong(session, options.checkCovered ?? [])
    const lastExpiry = await readLastExpiry(session)
    const listsFiles = upkeepCommands.includes(options.command) || (await mayHaveLeftFiles(session))
    const registered = await registerRun(session, locks, open, options)
    taken = registered.lock
    reachStep('run.registered')
    try {
      await declareTables(session, declared, registered.id)
      await recordOwnViews(session, options.views ?? [], options.endedViews ?? [])
      await inTransaction(session, async () => {
        await recordStreamFacts(session, options.declares ?? [])
        await addStreams(session, options.streams)
      })
      await claimStore(session, paths, { lake: lakeId, run: registered.id })
      const recovery = await recoverLake(session, { paths, locks }, { open, visible, listsFiles })
      return {
        ...registered,
        /** The latest snapshot when the run began. */
        snapshot: await latestSnapshot(session),
        /** The tables of own pipelines with the ids that the lake gave to their columns. */
        tables: declared,
        /** Files that are missing or have the wrong size, in tables that the run does not write. */
        lost,
        /** What crashed runs left, and what recovery did with it. */
        recovery,
        /** Ids of those streams in `checkCovered` that had committed slices. */
        covered,
        /** When snapshots last expired before; null: never. */
        lastExpiry,
      }
    } catch (error) {
      await endRun(session, registered.id, 'failed').catch(() => undefined)
      throw error
    }
  }, starting).catch(async (error: unknown) => {
    // The catalog may fail to close after the lock was taken. This process may start the same streams again.
    await taken?.release()
    throw error
  })
  return {
    /** Part of the names of the files that the run writes. */
    id,
    ...found,
    /** Records how the run ended and what it measured, and frees its streams. Call it after the last part is written. */
    end: async (outcome: string, record?: RunRecord): Promise<void> => {
      reachStep('run.before-end')
      try {
        await write(async (session) => {
          if (record !== undefined) await writeRunRecord(session, record)
          await endRun(session, id, outcome)
          await lock.release()
          // Folds the write-ahead file into the catalog. What is committed is durable without this.
          await session.fold().catch(() => undefined)
        }, ending)
      } finally {
        // Frees the streams for the next run of this process, even if the catalog is unavailable.
        await lock.release()
      }
      reachStep('run.after-end')
    },
  }
}

/** A shared store needs a claim; a folder belongs to one lake. */
async function claimStore(session: Session, { store }: LakePaths, claim: Omit<Claim, 'knows'>): Promise<void> {
  if (store.remote === null) return
  const rows = await session.rows('SELECT run_id FROM chainlake.run')
  const known = new Set(rows.map((row) => row['run_id']))
  await store.claim({ ...claim, knows: (run) => known.has(run) })
}

async function coveredAmong(session: Session, streams: readonly Stream[]): Promise<Set<string>> {
  if (streams.length === 0) return new Set()
  const rows = await session.rows('SELECT DISTINCT stream FROM chainlake.coverage WHERE stream = ANY($1)', [
    streams.map(streamId),
  ])
  return new Set(rows.map((row) => row['stream']))
}

/** What was read before a new run is registered. */
type Before = {
  /** Runs without a recorded end. */
  readonly open: readonly RunStatus[]
  readonly visible: Awaited<ReturnType<typeof readVisibleFiles>>
  /** Lists all files under `data/`, even if no run may have left some. The time depends on the number of files. */
  readonly listsFiles: boolean
}

/**
 * Removes the leftovers of dead runs. Call it under the exclusive catalog lock, and call `readOpenRuns` under the same lock before. Then no
 * run can register, commit or end meanwhile. A live run has registered before it wrote its first part.
 */
async function recoverLake(
  session: Session,
  { paths, locks }: { readonly paths: LakePaths; readonly locks: Locks },
  { open, visible, listsFiles }: Before,
) {
  const alive = open.filter((run) => run.state === 'running').map((run) => run.id)
  const died = open.filter((run) => run.state === 'died').map((run) => run.id)
  const restarted = await restartBroken(session, paths.store, alive)
  const isListed = listsFiles || died.length + restarted.length > 0
  const listed = isListed ? await paths.store.list(inDataFolder('')) : []
  const folders = listed.filter((path) => path.endsWith('/'))
  const { orphans, unknown } = isListed
    ? await unnamedFiles(session, { paths, locks }, listed, await namedFiles(session, visible))
    : { orphans: [], unknown: [] }
  const drafts = await leftovers(paths)
  const removed = [...orphans, ...drafts]
  if (removed.length + died.length > 0) reachStep('recovery.before-removal')
  for (const file of orphans) await paths.store.remove(file)
  for (const draft of drafts) await rm(join(paths.lake, draft), { force: true })
  await removeTemporaries(paths, locks)
  // A live run may have created a folder, but not yet the file in it.
  const deepestFirst = folders.sort((a, b) => b.length - a.length)
  if (alive.length === 0) for (const folder of deepestFirst) await paths.store.remove(folder)
  await markDied(session, died)
  await locks.removeFree()
  if (removed.length + died.length > 0) reachStep('recovery.after-removal')
  return {
    /** Runs that crashed. */
    died,
    /** Removed files of dead runs that the catalog did not reference; relative to the lake. */
    removed,
    /** Files under `data/` of unknown origin. Recovery does not remove them. */
    unknown,
    /** Open observations that were restarted because some of their files were missing. */
    restarted,
  }
}

/** The files that the catalog does not name: those of dead runs, and those of unknown origin. Live runs may still name theirs. */
async function unnamedFiles(
  session: Session,
  { paths, locks }: { readonly paths: LakePaths; readonly locks: Locks },
  listed: readonly string[],
  named: ReadonlySet<string>,
) {
  const runs = new Map((await readRuns(session, locks)).map((run) => [run.id, run]))
  const mayStill = (run: RunStatus) => paths.store.remote !== null && locks.reach === 'machine' && mayLive(run)
  const orphans: string[] = []
  const unknown: string[] = []
  for (const path of listed) {
    if (path.endsWith('/') || named.has(path)) continue
    const run = runs.get(readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId ?? '')
    if (run !== undefined && !keepsFiles(run) && !mayStill(run)) orphans.push(path)
    else if (run === undefined || !(run.state === 'running' || mayStill(run))) unknown.push(path)
  }
  return { orphans, unknown }
}

const abandonedAfterMs = 24 * 3_600_000

/** Whether a run of another machine may be alive. Machines may share a remote store without sharing locks, so a run counts as dead after a day. */
function mayLive({ state, host, ended }: RunStatus): boolean {
  const isOver = ended !== null && (state !== 'died' || Date.now() - ended.getTime() > abandonedAfterMs)
  return host !== hostname() && !isOver
}

/** Leftover drafts of a catalog and of its published copy. A draft is only made under the catalog lock, so these have no live owner. */
async function leftovers(paths: LakePaths): Promise<string[]> {
  const names = await readdir(paths.lake)
  return names.filter((name) => name.startsWith(newCatalogPrefix) || name.startsWith(publishedDraft))
}

/** Removes temporary files and folders of dead owners. Call it under the exclusive catalog lock. */
export async function removeTemporaries(paths: LakePaths, locks: Locks): Promise<void> {
  for (const name of await readdir(paths.lake)) {
    const owner = ownerOfTemporary(name)
    if (owner === null || (await locks.isHeld(runLock(owner)))) continue
    // Files of other users may stay.
    await rm(join(paths.lake, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

async function markDied(session: Session, died: readonly string[]): Promise<void> {
  if (died.length === 0) return
  const sql = "UPDATE chainlake.run SET ended = now(), outcome = 'died' WHERE ended IS NULL AND run_id = ANY($1)"
  await changeOnce(session, sql, [died])
}

/** The command of runs that expire snapshots. */
export const expireCommand = 'expire'

export async function readLastExpiry(session: Session): Promise<Date | null> {
  const [row] = await session.rows('SELECT max(started) AS begun FROM chainlake.run WHERE command = $1', [
    expireCommand,
  ])
  return row?.['begun'] ?? null
}

export function beginWaiting(session: Session, now: Date): Promise<void> {
  return changeOnce(
    session,
    `UPDATE main.ducklake_files_scheduled_for_deletion SET schedule_start = $1::TIMESTAMPTZ
     WHERE schedule_start IS NULL AND ${isWaiting}`,
    [now.toISOString()],
  )
}

export async function countWaiting(session: Session): Promise<number> {
  const [row] = await session.rows(
    `SELECT count(*) AS n FROM main.ducklake_files_scheduled_for_deletion WHERE ${isWaiting}`,
  )
  return row?.['n'] ?? 0
}

/** Condition for waiting files. DuckLake also schedules replaced files that earlier snapshots still show; these do not wait yet. */
const isWaiting = 'data_file_id NOT IN (SELECT data_file_id FROM main.ducklake_data_file)'

/** Returns how much it removed from the catalog, and the oldest remaining snapshot. */
export async function forgetSnapshots(session: Session, before: Date) {
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
    return { snapshots: Number(snapshots?.['n'] ?? 0), files, bytes, oldest }
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
export async function removeWaiting(session: Session, store: Store, since: Date): Promise<number> {
  const rows = await session.rows(
    `SELECT data_file_id AS id, path FROM main.ducklake_files_scheduled_for_deletion
     WHERE schedule_start <= $1::TIMESTAMPTZ AND ${isWaiting}`,
    [since.toISOString()],
  )
  for (const { path } of rows) await store.remove(inDataFolder(path))
  if (rows.length === 0) return 0
  reachStep('expire.after-removal')
  const ids = rows.map(({ id }) => id).join(', ')
  await changeOnce(session, `DELETE FROM main.ducklake_files_scheduled_for_deletion WHERE data_file_id IN (${ids})`)
  return rows.length
}
