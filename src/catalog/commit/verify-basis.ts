import type { Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { FileColumnStats, Part } from '../../model.ts'
import { type CatalogColumn, catalogColumns } from '../schema/catalog-columns.ts'
import type { Session } from '../session/session.ts'
import { compareBounds } from '../stats/compare-stats.ts'
import { readFileStats } from './inventory.ts'
import { compactedChange } from './replace-files.ts'

/** Up to this number of newer files, their bounds are compared. If there are more, bounds are not read. */
const maxNewerFiles = 10_000

/** The tables that were compared at the snapshot `basis`, and the parts with their new rows. */
type Compared = { readonly tables: readonly Table[]; readonly parts: readonly Part[]; readonly basis: number }

/**
 * Refuses rows if their tables have changed since the comparison. Two kinds of newer files do not matter. In a table with immutable rows:
 * files with bounds of a key or sort column that exclude all new rows. Files from compaction: they only contain old rows, unless the
 * compacted files have expired.
 *
 * @throws CatalogError `catalog.conflict`, retryable: compare again with the latest snapshot.
 */
export async function verifyBasis(session: Session, { tables, parts, basis }: Compared): Promise<void> {
  if (tables.length === 0) return
  const later = await session.rows(
    `SELECT d.data_file_id AS id, t.table_name, d.begin_snapshot
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     LEFT JOIN main.ducklake_snapshot_changes c ON c.snapshot_id = d.begin_snapshot
     WHERE d.begin_snapshot > $1 AND t.table_name IN (${tables.map(({ name }) => sqlText(name)).join(', ')})
       AND NOT (strpos(coalesce(c.changes_made, ''), '${compactedChange}') > 0 AND $1 >= (SELECT min(snapshot_id) FROM main.ducklake_snapshot))
     ORDER BY t.table_name, d.begin_snapshot DESC, d.data_file_id LIMIT ${maxNewerFiles + 1}`,
    [basis],
  )
  if (later.length === 0) return
  const bounds =
    later.length > maxNewerFiles
      ? new Map<number, FileColumnStats[]>()
      : await readFileStats(
          session,
          later.map(({ id }) => id),
        )
  const meeting = later.find(({ id, table_name: name }) => {
    const table = tables.find((each) => each.name === name)
    return table === undefined || mayMeet(table, parts, bounds.get(id) ?? [])
  })
  if (meeting === undefined) return
  throw new CatalogError('Rows were added to a table after the new rows were compared with it.', {
    code: 'catalog.conflict',
    details: {
      table: meeting['table_name'],
      'compared with snapshot': basis,
      'latest snapshot': meeting['begin_snapshot'],
    },
    hint: 'Nothing was written. Start again: the run compares the rows again.',
    retryable: true,
  })
}

/** For versions, rows that were skipped as known matter, too: a later version may differ from them. */
function mayMeet(table: Table, parts: readonly Part[], file: readonly FileColumnStats[]): boolean {
  if (table.history !== 'rows') return true
  const named = new Set([...table.key, ...table.sortBy])
  const columns = catalogColumns(table).filter(({ name, parentId }) => parentId === null && named.has(name))
  return parts.some((part) => part.table === table.name && !columns.some((column) => isApart(column, part, file)))
}

/** Whether the bounds of a column show that part and file have no common values. Without bounds, values may be anywhere. */
function isApart({ id, type }: CatalogColumn, part: Part, file: readonly FileColumnStats[]): boolean {
  const own = part.stats.find(({ fieldId }) => fieldId === id)
  const other = file.find(({ columnId }) => columnId === id)
  if (own === undefined || other === undefined || own.nullCount > 0 || other.nulls > 0) return false
  if (own.min === null || own.max === null || other.min === null || other.max === null) return false
  return compareBounds(type, own.max, other.min) < 0 || compareBounds(type, other.max, own.min) < 0
}
