import type { Table } from './table.ts'

/** Columns of a table with versions that distinguish versions of the same row. */
const versionNames = ['observed_at', 'observation_id', 'subject']

/** The columns that identify the subject of a row: the key, without the columns that distinguish versions. */
export function identityColumns(table: Table): string[] {
  return table.key.filter((name) => table.history !== 'versions' || !versionNames.includes(name))
}
