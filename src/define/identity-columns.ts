import type { Table } from './table.ts'

/** Columns that distinguish versions, or observations, of the same row. */
export const observationColumns: readonly string[] = ['observed_at', 'observation_id', 'subject']

/** The columns that identify the subject of a row: the key, without the columns that distinguish versions. */
export function identityColumns(table: Table): string[] {
  return table.key.filter((name) => table.history !== 'versions' || !observationColumns.includes(name))
}
