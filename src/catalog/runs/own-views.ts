import { type DerivedView, redeclaredViews } from '../../define/index.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { isAt, latestSnapshotId, newest } from '../session/snapshot.ts'

/** The views that own pipelines declared, each after the views that it reads; with the id of a snapshot, those of that one. */
export async function readOwnViews(session: Session, at: number = newest): Promise<DerivedView[]> {
  const rows = await session.rows(
    `SELECT declaration FROM chainlake.own_view v WHERE ${isAt('v', at)} ORDER BY position`,
  )
  return rows.map((row) => JSON.parse(row['declaration']))
}

/**
 * Stores views of own pipelines, from the latest snapshot on: it has the tables that they read. They replace earlier ones of the same names,
 * which earlier snapshots keep, as they keep the ended ones.
 */
export async function recordOwnViews(
  session: Session,
  declared: readonly DerivedView[],
  ended: readonly Pick<DerivedView, 'name'>[],
): Promise<void> {
  if (declared.length + ended.length === 0) return
  const known = await readOwnViews(session)
  const views = redeclaredViews(known, declared).filter(({ name }) => !ended.some((view) => view.name === name))
  if (JSON.stringify(views) === JSON.stringify(known)) return
  await inTransaction(session, async () => {
    const begin = await latestSnapshotId(session)
    await session.run('DELETE FROM chainlake.own_view WHERE begin_snapshot = $1', [begin])
    await session.run('UPDATE chainlake.own_view SET end_snapshot = $1 WHERE end_snapshot IS NULL', [begin])
    await session.append(
      'chainlake',
      'own_view',
      views.map((view, position) => [begin, null, position, view.name, JSON.stringify(view)]),
    )
  })
}
