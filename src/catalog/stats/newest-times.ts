import { blockTime } from '../../define/index.ts'
import type { Session } from '../session/session.ts'

/**
 * The newest block time of each stream that has any, by stream id, from the statistics of the visible files. A file that several small streams
 * share counts for each of them.
 */
export async function readNewestTimes(session: Session): Promise<Map<string, Date>> {
  const rows = await session.rows(
    `SELECT f.stream, max(${session.dialect.tryCast('s.max_value', 'TIMESTAMPTZ')}) AS newest
     FROM chainlake.file f
     JOIN main.ducklake_data_file d ON d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL
     JOIN main.ducklake_column c ON c.table_id = d.table_id AND c.end_snapshot IS NULL
       AND c.column_name = '${blockTime}' AND c.parent_column IS NULL
     JOIN main.ducklake_file_column_stats s ON s.data_file_id = d.data_file_id AND s.column_id = c.column_id
     GROUP BY f.stream`,
  )
  return new Map(rows.flatMap(({ stream, newest }) => (newest === null ? [] : [[stream, newest]])))
}
