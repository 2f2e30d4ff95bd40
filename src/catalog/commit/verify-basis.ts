import type { Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { Part } from '../../model.ts'
import { type CatalogColumn, catalogColumns } from '../schema/catalog-columns.ts'
import type { Session } from '../session/session.ts'
import { compareBounds } from '../stats/compare-stats.ts'
import { type FileColumnStats, readFileStats } from './inventory.ts'
import { compactedChange } from './replace-files.ts'

/** Files that came later than this are looked at by their bounds; of more it is not asked. */
const mostLater = 10_000

/** What is compared: tables whose rows were, at a snapshot, and the parts that hold what was found to be new. */
export type Compared = { readonly tables: readonly Table[]; readonly parts: readonly Part[]; readonly basis: number }

/**
 * Refuses rows that were compared with an older snapshot than their tables have by now. Of a table whose rows never change, files do not
 * matter that can have none of the new rows: all values of a column that a row is named or sorted by are outside of theirs. Files that were
 * merged since hold no other rows, unless what they were merged of is forgotten.
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
     ORDER BY t.table_name, d.begin_snapshot DESC, d.data_file_id LIMIT ${mostLater + 1}`,
    [basis],
  )
  if (later.length === 0) return
  const bounds =
    later.length > mostLater
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
  throw new CatalogError('Rows were added to a table after the new ones were compared with it.', {
    code: 'catalog.conflict',
    details: {
      table: meeting['table_name'],
      'compared with snapshot': basis,
      'latest snapshot': meeting['begin_snapshot'],
    },
    hint: 'Nothing was written. Start again: the rows are compared anew.',
    retryable: true,
  })
}

/** Of versions it matters also what was left out since it was there: a later one may say otherwise by now. */
function mayMeet(table: Table, parts: readonly Part[], file: readonly FileColumnStats[]): boolean {
  if (table.history !== 'rows') return true
  const named = new Set([...table.key, ...table.sortBy])
  const columns = catalogColumns(table).filter(({ name, parentId }) => parentId === null && named.has(name))
  return parts.some((part) => part.table === table.name && !columns.some((column) => isApart(column, part, file)))
}

/** Whether all values of a column are outside of the bounds of the others. Values that no bounds speak of may be anywhere. */
function isApart({ id, type }: CatalogColumn, part: Part, file: readonly FileColumnStats[]): boolean {
  const own = part.stats.find(({ fieldId }) => fieldId === id)
  const other = file.find(({ columnId }) => columnId === id)
  if (own === undefined || other === undefined || own.nullCount > 0 || other.nulls > 0) return false
  if (own.min === null || own.max === null || other.min === null || other.max === null) return false
  return compareBounds(type, own.max, other.min) < 0 || compareBounds(type, other.max, own.min) < 0
}
