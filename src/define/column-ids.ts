import { DefinitionError } from '../errors.ts'
import { type ColumnIds, columnPaths, type Table } from './table.ts'

/**
 * Assigns ids to the columns of a table: known columns keep their id, new columns get the next id that was never used, and the ids of
 * removed columns are retired. `before` is null for a new table.
 */
export function columnIds(table: Table, before: ColumnIds | null): ColumnIds {
  const { columns: known, retired: ended } = before ?? { columns: {}, retired: {} }
  const paths = columnPaths(table.columns)
  const retired = new Map(Object.entries(ended))
  for (const [path, id] of Object.entries(known)) if (!paths.includes(path)) retired.set(String(id), path)
  let next = Math.max(0, ...Object.values(known), ...[...retired.keys()].map(Number)) + 1
  const columns = paths.map((path): [string, number] => {
    const id = known[path]
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    if (id === undefined && known[parent] !== undefined && [...retired.values()].includes(path))
      throw nameTaken(table, path)
    return [path, id ?? next++]
  })
  return { columns: Object.fromEntries(columns), retired: Object.fromEntries(retired) }
}

/** The error for a reused name: readers find nested columns by name. */
function nameTaken({ name }: Table, path: string): DefinitionError {
  return new DefinitionError(`${name}.${path} was the name of another nested column.`, {
    code: 'definition.column-id',
    hint: 'Existing files hold the values of the earlier column under this name: choose another name.',
  })
}
