import type { ReadRange } from '../../model.ts'
import type { Session } from '../session/session.ts'

/** What streams have brought to the tables of the lake. Files that were removed are not part of a range. */
export async function readRanges(session: Session): Promise<ReadRange[]> {
  const rows = await session.rows(
    `SELECT stream.network, stream.unit, part.*, ${session.dialect.microseconds('snapshot.snapshot_time')} AS committed_us
     FROM (
       SELECT stream, table_name, slice_from, slice_to, row_count, last_snapshot_id FROM chainlake.coverage
       UNION ALL
       SELECT stream, table_name, NULL, NULL, row_count, last_snapshot_id FROM chainlake.written
     ) AS part
     JOIN chainlake.stream AS stream ON stream.stream = part.stream
     LEFT JOIN main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = part.last_snapshot_id
     ORDER BY part.stream, part.table_name, part.slice_from`,
  )
  return rows.map((row) => ({
    network: row['network'],
    stream: row['stream'],
    table: row['table_name'],
    unit: row['unit'],
    slice: row['slice_from'] === null ? null : { from: row['slice_from'], to: row['slice_to'] },
    rows: row['row_count'],
    committedMicros: row['committed_us'],
  }))
}
