import { type DerivedView, redeclaredViews } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { isAt, latestSnapshotId, newest } from '../session/snapshot.ts'

/** The views that own pipelines declared, each after the views that it reads; with the id of a snapshot, those of that one. */
export async function readOwnViews(session: Session, at: number = newest): Promise<DerivedView[]> {
  const rows = await session.rows(
    `SELECT declaration FROM chainlake.own_view v WHERE ${isAt('v', at)} ORDER BY position`,
  )
  return rows.map((row) => declaredView(row['declaration']))
}

function declaredView(text: string): DerivedView {
  let view: unknown
  try {
    view = JSON.parse(text)
  } catch {
    view = null
  }
  if (isView(view)) return view
  throw new CatalogError('The catalog has a view that chainlake did not record.', {
    code: 'catalog.view',
    details: { declaration: text.slice(0, 200) },
    hint: 'Nothing was executed or changed. Restore a backup that you trust with chainlake restore, or delete the row from chainlake.own_view.',
  })
}

/** Whether a value is a view with a query: only views of this program have theirs in a file. */
function isView(value: unknown): value is DerivedView {
  if (typeof value !== 'object' || value === null) return false
  const { name, comment, query, dateOf = '', dependsOn, columns } = value as { readonly [key: string]: unknown }
  const isText = (each: unknown) => typeof each === 'string'
  return (
    [name, comment, query, dateOf].every(isText) &&
    Array.isArray(dependsOn) &&
    dependsOn.every(isText) &&
    typeof columns === 'object' &&
    Object.values(columns ?? {}).every((column) => isText(column?.type) && isText(column?.comment))
  )
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
