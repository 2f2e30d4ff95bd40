import { CatalogError } from '../errors.ts'
import type { LakeSnapshot, Slice } from '../model.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import type { Held } from '../store/store.ts'

export type Cell = string | number | bigint | boolean | null
/** A parameter of a prepared statement. A list of texts becomes `VARCHAR[]`. */
export type Parameter = Cell | readonly string[]
/** Integers arrive as numbers: all integers of the catalog are ids or counts of files, rows and bytes. */
export type Row = Record<string, any>

/** Types that texts of the catalog are cast to. */
type CastType = 'BIGINT' | 'HUGEINT' | 'TIMESTAMPTZ' | 'VARCHAR'

/** SQL that differs between databases. All other SQL of the catalog means the same in each of them. */
export type Dialect = {
  /** Casts a text to a type; null if the cast fails. */
  readonly tryCast: (sql: string, type: CastType) => string
  /** Converts a time to microseconds since 1970 UTC. */
  readonly microseconds: (sql: string) => string
  /** Column declarations for this database. They sort texts by their bytes. */
  readonly columns: (declared: string) => string
}

/** An open catalog. It is valid only inside the work that received it. */
export type Session = {
  /** Begins a transaction that may write. */
  begin: () => Promise<void>
  /** The rows of a query. `T` has the types of its columns. */
  rows: <T = Row>(sql: string, parameters?: readonly Parameter[]) => Promise<T[]>
  /** Executes a statement. Inside a transaction, a later call may throw its failure, at the latest the commit. */
  run: (sql: string, parameters?: readonly Parameter[]) => Promise<void>
  /** Commits the last transaction of the work. The backend may release the catalog lock as soon as the commit is durable. */
  commitLast: () => Promise<void>
  /** Appends rows of integers, texts, booleans and nulls, in the order of the table's columns. */
  append: (schema: string, table: string, rows: readonly (readonly Cell[])[]) => Promise<void>
  /** Folds the write-ahead file into the catalog file (checkpoint). */
  fold: () => Promise<void>
  /** Reads every table completely to find damage. The database compares checksums of blocks if it has them. */
  readThrough: () => Promise<void>
  readonly dialect: Dialect
}

/** Runs `work` in one transaction; any error rolls it back. `commit`: the `commitLast` of the session for its last transaction. */
export async function inTransaction<T>(
  session: Session,
  work: () => Promise<T>,
  commit = (): Promise<void> => session.run('COMMIT'),
): Promise<T> {
  await session.begin()
  try {
    const result = await work()
    await commit()
    return result
  } catch (error) {
    // After some failures, such as a full disk, DuckDB has already rolled back. The first error is the relevant one.
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Runs one statement in a transaction of its own. */
export function changeOnce(session: Session, sql: string, parameters?: readonly Parameter[]): Promise<void> {
  return inTransaction(session, () => session.run(sql, parameters))
}

/**
 * The storage of a catalog. Only backends know how a database is opened, copied and locked. SQL is written once and means the same in
 * every database; `dialect` of the session covers the differences.
 */
export type Backend = {
  /** Name in messages, such as the path of the file. */
  readonly name: string
  /** Runs `work` on a consistent snapshot. The session is valid until `work` returns, and `work` must not start another one meanwhile. */
  readonly read: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<T>
  /**
   * Runs `work` while no other process writes. Transactions that `work` commits are durable. The work begins with a query and has no effect
   * before its answer: the backend may send this query while it waits for the lock.
   */
  readonly write: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<T>
  /** Runs `work` like `write`, then replaces the copy of the catalog that readers attach. */
  readonly publish: <T>(
    work: (session: Session) => Promise<T>,
    options?: WaitOptions & {
      /** Where readers of the copy find the data files, with `/` at its end; null: where the catalog says. Of no use without a copy. */
      readonly dataPath?: string | null
    },
  ) => Promise<{
    readonly result: T
    /** Identifies this copy. If readers query the catalog itself, it identifies the state of the catalog. */
    readonly identity: string
  }>
  /** Identity of the copy that readers attach; null if there is none. */
  readonly published: () => Promise<string | null>
  readonly locks: Locks
  /** SQL that processes on other machines share; null when the catalog is a file of one machine. */
  readonly shared: SharedSql | null
}

/** How to wait for the catalog lock. */
export type WaitOptions = {
  /** Ends the wait when it is aborted. */
  readonly stop?: AbortSignal | undefined
  /** Allows the write even if the server has freed the locks of this process. A run uses it to record its end. Files cannot lose locks. */
  readonly locks?: 'may be lost'
}

/**
 * Locks that become free when their process dies, whatever the cause. They are taken, checked and removed only under the catalog lock, so
 * that these operations never overlap.
 */
export type Locks = {
  /** Whether locks of processes on other machines are visible, too. */
  readonly reach: 'machine' | 'everywhere'
  /** Takes a lock. The name must be new. */
  readonly take: (name: string) => Promise<Held>
  readonly isHeld: (name: string) => Promise<boolean>
  /** Names of the locks that live processes hold. */
  readonly held: () => Promise<string[]>
  /** Removes the leftovers of free locks. */
  readonly removeFree: () => Promise<void>
}

/** A new snapshot. It starts with the counters of the previous one and increments them. */
export type Snapshot = {
  readonly id: number
  schemaVersion: number
  nextCatalogId: number
  nextFileId: number
  /** Entries for `ducklake_snapshot_changes`. */
  readonly changes: string[]
}

export async function nextSnapshot(session: Session): Promise<Snapshot> {
  const [row] = await session.rows<Omit<Snapshot, 'changes'>>(
    `SELECT snapshot_id AS id, schema_version AS "schemaVersion", next_catalog_id AS "nextCatalogId", next_file_id AS "nextFileId"
     FROM main.ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1`,
  )
  if (row !== undefined) return { ...row, id: row.id + 1, changes: [] }
  throw new CatalogError('The catalog has no snapshot.', { code: 'catalog.unreadable', hint: restoreHint })
}

export async function latestSnapshotId(session: Session): Promise<number> {
  return (await nextSnapshot(session)).id - 1
}

export async function latestSnapshot(session: Session): Promise<LakeSnapshot> {
  const id = await latestSnapshotId(session)
  return (await readSnapshot(session, id))!
}

/** Whether the catalog has this snapshot. After a restore, a different snapshot may have the same number. */
export async function hasSnapshot(session: Session, snapshot: LakeSnapshot): Promise<boolean> {
  const own = await readSnapshot(session, snapshot.snapshotId)
  return own !== null && own.lakeId === snapshot.lakeId && own.runId === snapshot.runId
}

/** Reads the present state where a snapshot is expected: no record ends later. */
export const newest = Number.MAX_SAFE_INTEGER

/** The condition that the record of a table, which has an alias in the query, belongs to a snapshot. */
export function isAt(alias: string, snapshotId: number): string {
  const ended = `${alias}.end_snapshot`
  if (snapshotId === newest) return `${ended} IS NULL`
  return `(${alias}.begin_snapshot <= ${snapshotId} AND (${ended} IS NULL OR ${ended} > ${snapshotId}))`
}

/** The data files of all snapshots (`d`) with their tables (`t`), in SQL. */
export const filesOfTables =
  'main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL'

/** The path of such a file, relative to the lake. */
export const pathOfFile = `'${inDataFolder('')}' || t.path || d.path`

/** The slice of a row; null for streams that are not read by range. */
export function sliceOf({ slice_from: from, slice_to: to }: Row): Slice | null {
  return from === null ? null : { from, to }
}

export function sliceCells(slice: Slice | null): [from: Cell, to: Cell] {
  return slice === null ? [null, null] : [slice.from, slice.to]
}

/** Null if there is no snapshot with this id. */
export async function readSnapshot(session: Session, id: number): Promise<LakeSnapshot | null> {
  const [row] = await session.rows<SnapshotRow>(`${snapshotSql} WHERE snapshot_id = $1`, [id])
  return row === undefined ? null : snapshotOf(row)
}

export async function readSnapshots(session: Session): Promise<LakeSnapshot[]> {
  return (await session.rows<SnapshotRow>(`${snapshotSql} ORDER BY snapshot_id`)).map(snapshotOf)
}

const snapshotSql = `SELECT (SELECT schema_uuid::VARCHAR FROM main.ducklake_schema WHERE schema_id = 0) AS "lakeId",
    snapshot_id AS "snapshotId", commit_extra_info AS info
  FROM main.ducklake_snapshot LEFT JOIN main.ducklake_snapshot_changes USING (snapshot_id)`

type SnapshotRow = Omit<LakeSnapshot, 'runId'> & { readonly info: string | null }

function snapshotOf({ info, ...snapshot }: SnapshotRow): LakeSnapshot {
  return { ...snapshot, runId: /^\{"run":"(\w+)"\}$/.exec(info ?? '')?.[1] ?? null }
}

/** `runId` is the run that creates the snapshot. */
export async function writeSnapshot(
  session: Session,
  snapshot: Snapshot,
  { message, runId }: { message: string; runId: string },
): Promise<void> {
  const { id, schemaVersion, nextCatalogId, nextFileId, changes } = snapshot
  await session.run('INSERT INTO main.ducklake_snapshot VALUES ($1, now(), $2, $3, $4)', [
    id,
    schemaVersion,
    nextCatalogId,
    nextFileId,
  ])
  await session.append('main', 'ducklake_snapshot_changes', [
    [id, changes.join(','), 'chainlake', message, JSON.stringify({ run: runId })],
  ])
}

/** SQL on the database of the catalog, which processes of several machines share. Each statement is its own transaction. */
export type SharedSql = {
  readonly query: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
}

/** Waits until all promises have settled and returns their values. If some rejected, it throws the error of the first of them in the list. */
export async function settleAll<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** Converts an integer of the catalog to a number. Throws if it is not exact. */
export function safeNumber(value: bigint | string, column: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new CatalogError(`The catalog holds a number that is out of range in ${column}.`, {
      code: 'catalog.unreadable',
      details: { value },
      hint: restoreHint,
    })
  return number
}

/** Parses a text of the catalog. Throws if it is no JSON. */
export function parsedJson(text: string, column: string): any {
  try {
    return JSON.parse(text)
  } catch {
    throw new CatalogError(`The catalog holds a text that is no JSON in ${column}.`, {
      code: 'catalog.unreadable',
      details: { value: text.slice(0, 200) },
      hint: restoreHint,
    })
  }
}

/** What to do when the catalog is missing or unreadable. */
export const restoreHint =
  'Restore the catalog from a backup: chainlake restore BACKUP. Without a backup, restore from lake.ducklake of the lake, the copy from the last publishing.'
