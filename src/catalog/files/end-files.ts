import type { Session } from '../session/session.ts'
import type { Snapshot } from '../session/snapshot.ts'

/**
 * Hides visible files of a table inside a transaction: they are not part of this and later snapshots. Earlier snapshots show them until
 * they expire. DuckLake calls such files scheduled for deletion.
 */
export async function endFiles(
  session: Session,
  snapshot: Pick<Snapshot, 'id'>,
  tableId: number,
  ids: readonly number[],
): Promise<void> {
  const list = ids.join(', ')
  await session.run(
    `UPDATE main.ducklake_table_stats SET record_count = record_count - e.n, file_size_bytes = file_size_bytes - e.bytes
     FROM (SELECT sum(record_count)::BIGINT AS n, sum(file_size_bytes)::BIGINT AS bytes FROM main.ducklake_data_file WHERE data_file_id IN (${list})) e
     WHERE table_id = $1`,
    [tableId],
  )
  await session.run(`UPDATE main.ducklake_data_file SET end_snapshot = $1 WHERE data_file_id IN (${list})`, [
    snapshot.id,
  ])
  await session.run(
    `INSERT INTO main.ducklake_files_scheduled_for_deletion
     SELECT d.data_file_id, t.path || d.path, true, now()
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE d.data_file_id IN (${list}) ORDER BY d.data_file_id`,
  )
}
