import type { DerivedView } from '../../define/index.ts'
import { inTransaction, type Session } from '../session/session.ts'

/** The views that own pipelines declared, each after the views that it reads. */
export async function readOwnViews(session: Session): Promise<DerivedView[]> {
  const rows = await session.rows('SELECT declaration FROM chainlake.own_view ORDER BY position')
  return rows.map((row) => JSON.parse(row['declaration']))
}

/** Stores views of own pipelines. They replace earlier ones of the same names. */
export async function recordOwnViews(session: Session, declared: readonly DerivedView[]): Promise<void> {
  if (declared.length === 0) return
  const known = await readOwnViews(session)
  const names = new Set(declared.map(({ name }) => name))
  const views = [...known.filter(({ name }) => !names.has(name)), ...declared]
  if (JSON.stringify(views) === JSON.stringify(known)) return
  await inTransaction(session, async () => {
    await session.run('DELETE FROM chainlake.own_view')
    await session.append(
      'chainlake',
      'own_view',
      views.map((view, position) => [position, view.name, JSON.stringify(view)]),
    )
  })
}
