import { CatalogError } from '../errors.ts'
import { sqlText } from '../lib/sql-quote.ts'
import { compactedChange } from './replace-files.ts'
import type { Session } from './session.ts'

/**
 * Refuses rows that were compared with an older snapshot than their tables have by now. Files that were merged since hold no other
 * rows, unless what they were merged of is forgotten.
 *
 * @throws CatalogError `catalog.conflict`, retryable: compare again with the latest snapshot.
 */
export async function verifyBasis(session: Session, tables: readonly string[], basis: number): Promise<void> {
  if (tables.length === 0) return
  const [later] = await session.rows(
    `SELECT t.table_name, max(d.begin_snapshot) AS snapshot
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     LEFT JOIN main.ducklake_snapshot_changes c ON c.snapshot_id = d.begin_snapshot
     WHERE d.begin_snapshot > $1 AND t.table_name IN (${tables.map(sqlText).join(', ')})
       AND NOT (strpos(coalesce(c.changes_made, ''), '${compactedChange}') > 0 AND $1 >= (SELECT min(snapshot_id) FROM main.ducklake_snapshot))
     GROUP BY t.table_name ORDER BY t.table_name`,
    [basis],
  )
  if (later === undefined) return
  throw new CatalogError('Rows were added to a table after the new ones were compared with it.', {
    code: 'catalog.conflict',
    details: { table: later['table_name'], 'compared with snapshot': basis, 'latest snapshot': later['snapshot'] },
    hint: 'Nothing was written. Start again: the rows are compared anew.',
    retryable: true,
  })
}
