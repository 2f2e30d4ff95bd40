import type { Column, Columns, ColumnType, PartitionKey, Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import type { Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'
import { isAt, newest } from '../session/snapshot.ts'
import { type KnownTable, type PartitionColumn, readTables } from './known-tables.ts'
import { rulesTag, type TableRules } from './table-rules.ts'

/** A column of the catalog with its comment. `ended`: an earlier version of the table had it. */
type CommentedColumn = {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string
  readonly ended: boolean
}

/**
 * The tables of the lake as their declarations were when they were last written, by name; with the id of a snapshot, as they were in that one.
 * `known`: what `readTables` returned before.
 */
export async function readDeclaredTables(
  session: Session,
  known?: ReadonlyMap<string, KnownTable>,
  at: number = newest,
): Promise<Map<string, Table>> {
  const [tables, columns, tags] = await settleAll([
    known ?? readTables(session, at),
    readColumns(session, at),
    readTags(session, at),
  ])
  return new Map(
    [...tables].map(([name, known]) => {
      const tag = tags.get(known.id)
      if (tag === undefined) throw undeclared(name)
      return [name, tableOf(name, known, columns.get(known.id) ?? [], tag)]
    }),
  )
}

type TableTag = { readonly comment: string; readonly rules: TableRules }

function tableOf(
  name: string,
  { layout }: KnownTable,
  all: readonly CommentedColumn[],
  { comment, rules: { encodings, comments: _, ...rules } }: TableTag,
): Table {
  const paths = pathsOf(all)
  const current = all.filter(({ ended }) => !ended)
  const children = (parent: number | null): Columns =>
    Object.fromEntries(current.filter(({ parentId }) => parentId === parent).map((each) => [each.name, columnOf(each)]))
  const columnOf = ({ id, type, nullable, comment }: CommentedColumn): Column => ({
    type: typeOf({ table: name, column: paths.get(id), type }, () => children(id)),
    nullable,
    comment,
    encoding: encodings[paths.get(id) ?? ''] ?? 'plain',
  })
  const currentIds = new Set(current.map(({ id }) => id))
  return {
    name,
    comment,
    ...rules,
    key: layout.key.map((id) => paths.get(id) ?? ''),
    sortBy: layout.sortBy,
    partitionBy: partitionKeys(layout.partition, paths),
    columns: children(null),
    ids: {
      columns: Object.fromEntries(current.map(({ id }) => [paths.get(id) ?? '', id])),
      retired: Object.fromEntries([...paths].filter(([id]) => !currentIds.has(id))),
    },
  }
}

/** The path of each column by its id, dotted from the top-level column. */
function pathsOf(columns: readonly CommentedColumn[]): Map<number, string> {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const pathOf = ({ name, parentId }: CommentedColumn): string => {
    const parent = parentId === null ? undefined : byId.get(parentId)
    return parent === undefined ? name : `${pathOf(parent)}.${name}`
  }
  return new Map([...byId].map(([id, column]) => [id, pathOf(column)]))
}

function partitionKeys(columns: readonly PartitionColumn[], paths: ReadonlyMap<number, string>): PartitionKey[] {
  const keys: PartitionKey[] = []
  for (const { columnId, transform } of columns) {
    const column = paths.get(columnId) ?? ''
    // A month is the pair year and month, a day has three parts: the last part names the transform.
    if (transform === 'month' || transform === 'day') keys[keys.length - 1] = { transform, column }
    else keys.push({ transform: 'identity', column })
  }
  return keys
}

type TypeAt = { readonly table: string; readonly column: string | undefined; readonly type: string }

function typeOf(at: TypeAt, children: () => Columns): ColumnType {
  const { type } = at
  switch (type) {
    case 'varchar':
      return { kind: 'text' }
    case 'float64':
      return { kind: 'double' }
    case 'timestamptz':
      return { kind: 'timestamp' }
    case 'decimal(20,0)':
      return { kind: 'decimal', precision: 20 }
    case 'decimal(38,0)':
      return { kind: 'decimal', precision: 38 }
    case 'struct':
      return { kind: 'struct', fields: children() }
    case 'int64':
    case 'boolean':
    case 'blob':
      return { kind: type }
  }
  const item = type === 'list' ? children()['element'] : undefined
  if (item !== undefined) return { kind: 'list', item }
  throw new CatalogError('The catalog has a column of a type that chainlake does not write.', {
    code: 'catalog.column-type',
    details: at,
    hint: 'Nothing was changed. Restore the catalog from a backup, or use the version of chainlake that wrote the lake.',
  })
}

/** Columns of every table at a snapshot, in their order; of each id the latest version until then. */
async function readColumns(session: Session, at: number): Promise<Map<number, CommentedColumn[]>> {
  const rows = await session.rows(
    `SELECT c.table_id, c.column_id, c.column_name, c.column_type, c.nulls_allowed, c.parent_column,
       NOT ${isAt('c', at)} AS ended, coalesce(g.value, '') AS column_comment
     FROM main.ducklake_column c
     LEFT JOIN main.ducklake_column_tag g ON g.table_id = c.table_id AND g.column_id = c.column_id AND ${isAt('g', at)} AND g.key = 'comment'
     WHERE c.begin_snapshot <= ${at} AND NOT EXISTS (
       SELECT 1 FROM main.ducklake_column n WHERE n.table_id = c.table_id AND n.column_id = c.column_id
         AND n.begin_snapshot > c.begin_snapshot AND n.begin_snapshot <= ${at})
     ORDER BY c.table_id, c.column_order`,
  )
  const tables = new Map<number, CommentedColumn[]>()
  for (const row of rows) {
    const columns = tables.get(row['table_id']) ?? []
    tables.set(row['table_id'], columns)
    columns.push({
      id: row['column_id'],
      name: row['column_name'],
      type: row['column_type'],
      nullable: row['nulls_allowed'],
      parentId: row['parent_column'],
      comment: row['column_comment'],
      ended: row['ended'],
    })
  }
  return tables
}

async function readTags(session: Session, at: number): Promise<Map<number, TableTag>> {
  const rows = await session.rows(
    `SELECT r.object_id, r.value AS rules, coalesce(c.value, '') AS table_comment
     FROM main.ducklake_tag r
     LEFT JOIN main.ducklake_tag c ON c.object_id = r.object_id AND ${isAt('c', at)} AND c.key = 'comment'
     WHERE ${isAt('r', at)} AND r.key = $1`,
    [rulesTag],
  )
  return new Map(
    rows.map((row) => [row['object_id'], { comment: row['table_comment'], rules: JSON.parse(row['rules']) }]),
  )
}

function undeclared(table: string): CatalogError {
  return new CatalogError('The catalog does not describe one of its tables.', {
    code: 'catalog.table',
    details: { table, 'missing tag': rulesTag },
    hint: 'Nothing was changed. Restore the catalog from a backup: see chainlake restore --help.',
  })
}
