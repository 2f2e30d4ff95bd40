import { CatalogError } from '../../errors.ts'
import type { LakeSnapshot } from '../../model.ts'
import { restoreHint } from './restore-hint.ts'
import type { Row, Session } from './session.ts'

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
  const [row] = await session.rows(
    'SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM main.ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1',
  )
  if (row === undefined)
    throw new CatalogError('The catalog has no snapshot.', {
      code: 'catalog.unreadable',
      hint: restoreHint,
    })
  return {
    id: row['snapshot_id'] + 1,
    schemaVersion: row['schema_version'],
    nextCatalogId: row['next_catalog_id'],
    nextFileId: row['next_file_id'],
    changes: [],
  }
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

/** Null if there is no snapshot with this id. */
export async function readSnapshot(session: Session, id: number): Promise<LakeSnapshot | null> {
  const [row] = await session.rows(`${snapshotSql} WHERE snapshot_id = $1`, [id])
  return row === undefined ? null : snapshotOf(row)
}

/** All snapshots that have not expired, oldest first. */
export async function readSnapshots(session: Session): Promise<LakeSnapshot[]> {
  return (await session.rows(`${snapshotSql} ORDER BY snapshot_id`)).map(snapshotOf)
}

const snapshotSql = `SELECT (SELECT schema_uuid::VARCHAR FROM main.ducklake_schema WHERE schema_id = 0) AS lake_id, snapshot_id, commit_extra_info
  FROM main.ducklake_snapshot LEFT JOIN main.ducklake_snapshot_changes USING (snapshot_id)`

function snapshotOf(row: Row): LakeSnapshot {
  return {
    lakeId: row['lake_id'],
    snapshotId: row['snapshot_id'],
    runId: runOf(row['commit_extra_info'] ?? ''),
  }
}

function runOf(info: string): string | null {
  return /^\{"run":"(\w+)"\}$/.exec(info)?.[1] ?? null
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
