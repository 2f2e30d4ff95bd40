import type { Slice } from '../../model.ts'
import type { Cell, Session } from '../session/session.ts'

/** What a repair removed from a table of a stream; `slice` is null for streams that are not read by ranges. */
export type RemovedRow = { readonly stream: string; readonly table: string; readonly slice: Slice | null }

/** Remembers it inside of the transaction that removes it: a table that lost all its files is still one of its stream. */
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
