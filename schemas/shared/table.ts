import {
  type ColumnIds,
  type Columns,
  table as declare,
  type Table,
  type TableDeclaration,
} from '../../src/define/index.ts'
import ids from '../ids.json' with { type: 'json' }

const idsOfTables: Readonly<Record<string, ColumnIds>> = ids

/** Declares a table of the lake, with the ids that its columns have in `ids.json`. */
export function table<C extends Columns>(declaration: Omit<TableDeclaration<C>, 'ids'>): Table<C> {
  return declare({ ...declaration, ids: idsOfTables[declaration.name] ?? { columns: {}, retired: {} } })
}
