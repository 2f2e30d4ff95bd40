import type { Slice } from '../../model.ts'
import type { Cell, Session } from '../session/session.ts'

/** A slice that a repair removed from a table of a stream. `slice` is null for streams that are not read by range. */
export type RemovedRow = { readonly stream: string; readonly table: string; readonly slice: Slice | null }

/** Records removed slices inside the transaction of the removal, so that a table without files still belongs to its stream. */
export async function recordRemoved(session: Session, removed: readonly RemovedRow[]): Promise<void> {
  const rows = removed.map(({ stream, table, slice }): Cell[] => [
    stream,
    table,
    slice?.from ?? null,
    slice?.to ?? null,
  ])
  await session.append('chainlake', 'removed', rows)
}

export async function readRemoved(session: Session): Promise<RemovedRow[]> {
  const rows = await session.rows(
    'SELECT DISTINCT stream, table_name, slice_from, slice_to FROM chainlake.removed ORDER BY stream, table_name, slice_from',
  )
  return rows.map(({ stream, table_name: table, slice_from: from, slice_to: to }) => ({
    stream,
    table,
    slice: from === null ? null : { from, to },
  }))
}
