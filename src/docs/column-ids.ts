import type { ColumnIds, Table } from '../define/index.ts'
import { columnPaths } from '../define/table.ts'
import { DefinitionError } from '../errors.ts'

/**
 * The ids that the columns of a table have, given those that they had: known columns keep theirs, new ones take the next that nobody has had,
 * and those of columns that are gone are retired.
 */
export function columnIds(table: Table, before: ColumnIds = { columns: {}, retired: {} }): ColumnIds {
  const paths = columnPaths(table.columns)
  const retired = new Map(Object.entries(before.retired))
  for (const [path, id] of Object.entries(before.columns)) if (!paths.includes(path)) retired.set(String(id), path)
  let next = Math.max(0, ...Object.values(before.columns), ...[...retired.keys()].map(Number)) + 1
  const columns = paths.map((path): [string, number] => {
    const known = before.columns[path]
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    if (known === undefined && before.columns[parent] !== undefined && [...retired.values()].includes(path))
      throw nameTaken(table, path)
    return [path, known ?? next++]
  })
  return { columns: Object.fromEntries(columns), retired: Object.fromEntries(retired) }
}

/** Readers find what is nested in a column by its name. */
function nameTaken({ name }: Table, path: string): DefinitionError {
  return new DefinitionError(`${name}.${path} was the name of another nested column.`, {
    code: 'definition.column-id',
    hint: 'Files of before hold its values under this name: take another name.',
  })
}
