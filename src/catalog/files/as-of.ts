import { ConfigError } from '../../errors.ts'
import type { Session } from '../session/session.ts'
import { readSnapshot } from '../session/snapshot.ts'
import { type CatalogFiles, readFiles } from './files.ts'

/** An earlier state of the lake: a snapshot, or the latest snapshot at a time. */
export type Moment = { readonly snapshotId: number } | { readonly time: Date }

/**
 * The files that were visible at a moment.
 *
 * @throws ConfigError `as-of.snapshot` when the lake had no snapshot then, or when the snapshot has expired.
 */
export async function readFilesAsOf(session: Session, moment: Moment): Promise<CatalogFiles> {
  const id = await snapshotIdAt(session, moment)
  const snapshot = id === null ? null : await readSnapshot(session, id)
  if (snapshot === null) throw await unknownMoment(session, moment)
  return readFiles(session, snapshot)
}

async function snapshotIdAt(session: Session, moment: Moment): Promise<number | null> {
  if ('snapshotId' in moment) return moment.snapshotId
  const [row] = await session.rows(
    'SELECT max(snapshot_id) AS id FROM main.ducklake_snapshot WHERE snapshot_time <= $1::TIMESTAMPTZ',
    [moment.time.toISOString()],
  )
  return row?.['id'] ?? null
}

async function unknownMoment(session: Session, moment: Moment): Promise<ConfigError> {
  const [row] = await session.rows(
    `SELECT min(snapshot_id) AS oldest, max(snapshot_id) AS newest, min(snapshot_time) AS begin FROM main.ducklake_snapshot`,
  )
  const requested = 'snapshotId' in moment ? `snapshot ${moment.snapshotId}` : `the time ${moment.time.toISOString()}`
  return new ConfigError(`The lake cannot be shown as of ${requested}.`, {
    code: 'as-of.snapshot',
    details: {
      'oldest snapshot': row?.['oldest'],
      'newest snapshot': row?.['newest'],
      'oldest time': (row?.['begin'] as Date | undefined)?.toISOString(),
    },
    hint: 'Use an existing snapshot, or a time after the oldest one. chainlake expire may have removed older snapshots.',
  })
}
