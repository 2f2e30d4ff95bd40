import { CatalogError } from '../errors.ts'
import type { Session } from './session.ts'

/** A snapshot that is being made: it carries over the counters of the last one and raises what it uses. */
export type Snapshot = {
  readonly id: number
  schemaVersion: number
  nextCatalogId: number
  nextFileId: number
  /** What `ducklake_snapshot_changes` says of it. */
  readonly changes: string[]
}

export async function nextSnapshot(session: Session): Promise<Snapshot> {
  const [row] = await session.rows(
    'SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM main.ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1',
  )
  if (row === undefined)
    throw new CatalogError('The catalog holds no snapshot.', {
      code: 'catalog.unreadable',
      hint: 'Restore catalog.ducklake from a backup.',
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

export async function writeSnapshot(session: Session, snapshot: Snapshot, message: string): Promise<void> {
  const { id, schemaVersion, nextCatalogId, nextFileId, changes } = snapshot
  await session.run('INSERT INTO main.ducklake_snapshot VALUES ($1, now(), $2, $3, $4)', [
    id,
    schemaVersion,
    nextCatalogId,
    nextFileId,
  ])
  await session.append('main', 'ducklake_snapshot_changes', [[id, changes.join(','), 'chainlake', message, null]])
}
