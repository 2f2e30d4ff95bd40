import type { Store } from '../../store/store.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { findLost } from './lost-files.ts'
import { dropStagedParts } from './staged-parts.ts'

/**
 * Restarts open observations with staged files that are missing or have the wrong size. Nothing of them was visible. Observations of live
 * runs are skipped. Returns the ids of the restarted observations.
 */
export async function restartBroken(session: Session, store: Store, alive: readonly string[]): Promise<string[]> {
  const all = await session.rows(
    `SELECT s.observation_id, s.table_name, s.path, s.byte_count, o.run_id
     FROM chainlake.staged_part s JOIN chainlake.observation o USING (observation_id)`,
  )
  const rows = all.filter((row) => !alive.includes(row['run_id']))
  const staged = rows.map((row) => ({ table: row['table_name'], path: row['path'], bytes: row['byte_count'] }))
  const lost = new Set((await findLost(store, staged)).map(({ path }) => path))
  const broken = new Set<string>(rows.filter((row) => lost.has(row['path'])).map((row) => row['observation_id']))
  if (broken.size > 0) await forgetStaged(session, [...broken])
  return [...broken]
}

/** Restarts observations from their beginning. Their files are not removed. */
export async function forgetStaged(session: Session, observationIds: readonly string[]): Promise<void> {
  await inTransaction(session, async () => {
    for (const id of observationIds) {
      await dropStagedParts(session, id)
      await session.run(
        'UPDATE chainlake.observation SET cursor_token = NULL, cursor_at_ms = NULL WHERE observation_id = $1',
        [id],
      )
    }
  })
}
