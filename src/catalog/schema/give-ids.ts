import { columnIds } from '../../define/column-ids.ts'
import type { Table } from '../../define/index.ts'

/**
 * Gives the columns of a table without permanent ids those of the lake (undefined: the lake does not have the table). A new column gets an
 * id that no column of the table has ever had. `dropped`: whether columns that are no longer declared leave the table; otherwise a run
 * refuses such a table. Throws the errors of `columnIds`.
 */
export function giveIds(table: Table, stored: Table | undefined, dropped: 'drop' | 'refuse' = 'refuse'): Table {
  if (table.ids !== null) return table
  const before = stored?.ids ?? null
  const ids = columnIds(table, before)
  if (dropped === 'drop' || before === null) return { ...table, ids }
  return { ...table, ids: { ...ids, retired: before.retired } }
}
