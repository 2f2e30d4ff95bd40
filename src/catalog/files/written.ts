import { type Stream, streamId } from '../../model.ts'
import type { Session } from '../session/session.ts'
import type { TableSum } from '../stats/table-sums.ts'

/** Rows and bytes that commits without a slice have added to a table for a stream. */
export type WrittenRow = {
  readonly stream: string
  readonly table: string
  readonly rows: number
  readonly bytes: number
}

export async function readWritten(session: Session): Promise<WrittenRow[]> {
  const rows = await session.rows(
    'SELECT stream, table_name, row_count, byte_count FROM chainlake.written ORDER BY stream, table_name',
  )
  return rows.map((row) => ({
    stream: row['stream'],
    table: row['table_name'],
    rows: row['row_count'],
    bytes: row['byte_count'],
  }))
}

/** Adds the rows and bytes of a commit without a slice. */
export async function addWritten(
  session: Session,
  added: { runId: string; snapshotId: number; stream: Stream; tables: readonly TableSum[] },
): Promise<void> {
  const id = streamId(added.stream)
  const known = await session.rows('SELECT table_name FROM chainlake.written WHERE stream = $1', [id])
  const names = new Set(known.map((row) => row['table_name']))
  for (const { name, rows, bytes } of added.tables)
    await session.run(
      names.has(name)
        ? `UPDATE chainlake.written SET row_count = row_count + $3, byte_count = byte_count + $4, last_run_id = $5, last_snapshot_id = $6
           WHERE stream = $1 AND table_name = $2`
        : 'INSERT INTO chainlake.written VALUES ($1, $2, $3, $4, $5, $6)',
      [id, name, rows, bytes, added.runId, added.snapshotId],
    )
}
