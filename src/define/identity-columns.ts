import type { Table } from './table.ts'

/** Of a table with versions: what tells its versions apart, and so is no part of what they are versions of. */
const versionNames = ['observed_at', 'observation_id', 'subject']

/** The columns that name what a row is about: the key, of a table with versions without what tells them apart. */
export function identityColumns(table: Table): string[] {
  return table.key.filter((name) => table.history !== 'versions' || !versionNames.includes(name))
}
