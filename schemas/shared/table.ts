import {
  type ColumnIds,
  type Columns,
  type DeclaredColumn,
  table as declare,
  type Table,
  type TableDeclaration,
} from '../../src/define/index.ts'
import ids from '../ids.json' with { type: 'json' }

/**
 * `ids.json`: the paths of the columns of each table, in the order of their ids, which are 1, 2, 3 and so on. A column that was removed stays
 * in the list, with `-` before it: a lake may still hold it, so its id must not be used again.
 */
const idLists: Readonly<Record<string, readonly string[]>> = ids

/** The ids that a list of `ids.json` gives. A table that is not in the file has none yet. */
export function idsIn(list: readonly string[] = []): ColumnIds {
  const columns: Record<string, number> = {}
  const retired: Record<string, string> = {}
  for (const [at, path] of list.entries()) {
    if (path.startsWith('-')) retired[at + 1] = path.slice(1)
    else columns[path] = at + 1
  }
  return { columns, retired }
}

/** The list that gives these ids. */
export function idList({ columns, retired }: ColumnIds): string[] {
  const list: string[] = []
  for (const [path, id] of Object.entries(columns)) list[id - 1] = path
  for (const [id, path] of Object.entries(retired)) list[Number(id) - 1] = `-${path}`
  return list
}

/** Declares a table of the lake, with the ids that its columns have in `ids.json`. Tables with lists or structs have short row groups. */
export function table<C extends Columns>(declaration: Omit<TableDeclaration<C>, 'ids'>): Table<C> {
  const isNested = Object.values(declaration.columns).some(({ type }) => type.kind === 'list' || type.kind === 'struct')
  return declare({
    rowGroup: isNested ? 'nested' : 'flat',
    ...declaration,
    ids: idsIn(idLists[declaration.name]),
  } as TableDeclaration<C>)
}

type Marked = { readonly [name: string]: DeclaredColumn<any> }

/** Columns that nothing else in a lake holds, so that `verify` cannot check them. A number and its exact text, `…_raw`, prove each other. */
export function unproven<C extends Marked>(columns: C): C {
  const hasTwin = (name: string) => `${name}_raw` in columns || (name.endsWith('_raw') && name.slice(0, -4) in columns)
  return each(columns, (column, name) => (hasTwin(name) ? column.partlyUnproven() : column.unproven()))
}

/** Columns that something else in a lake holds for some rows only. */
export function partlyUnproven<C extends Marked>(columns: C): C {
  return each(columns, (column) => column.partlyUnproven())
}

/** Columns that always have the same value for a key. */
export function lasting<C extends Marked>(columns: C): C {
  return each(columns, (column) => column.lasting())
}

function each<C extends Marked>(columns: C, mark: (column: DeclaredColumn, name: string) => DeclaredColumn): C {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, mark(column, name)])) as C
}
