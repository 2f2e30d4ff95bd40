import { ConfigError } from '../../errors.ts'
import type { Session } from '../session/session.ts'
import { readSnapshot } from '../session/snapshot.ts'
import { type CatalogFiles, readFiles } from './files.ts'

/** A state of the lake that was: a snapshot, or the last one that had been made at a time. */
export type Moment = { readonly snapshotId: number } | { readonly time: Date }

/**
 * The files that were visible at a moment.
 *
 * @throws ConfigError `as-of.snapshot` when the lake had no snapshot then, or has it no more.
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
  const asked = 'snapshotId' in moment ? `snapshot ${moment.snapshotId}` : `the time ${moment.time.toISOString()}`
  return new ConfigError(`The lake cannot be shown as of ${asked}.`, {
    code: 'as-of.snapshot',
    details: {
      'oldest snapshot': row?.['oldest'],
      'newest snapshot': row?.['newest'],
      'oldest time': (row?.['begin'] as Date | undefined)?.toISOString(),
    },
    hint: 'Name a snapshot that there is, or a time since the oldest one. Older ones were before the lake, or chainlake expire has removed them.',
  })
}
