import { type ColumnType, type Field, fieldsOf, type Table } from '../define/index.ts'
import { SchemaChangedError } from '../errors.ts'

/** A column as the catalog states it; nested ones follow their parent. */
export type CatalogColumn = {
  readonly id: number
  readonly name: string
  /** DuckLake's name of the type: `int64`, `varchar`, `decimal(20,0)`, `list`, `struct`. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string
}

/** The columns of a declaration as the catalog states them, depth first. */
export function catalogColumns(table: Table): CatalogColumn[] {
  const visit = (field: Field, parentId: number | null): CatalogColumn[] => [
    {
      id: field.id,
      name: field.name,
      type: catalogType(field.column.type),
      nullable: field.column.nullable,
      parentId,
      comment: field.column.comment,
    },
    ...field.children.flatMap((child) => visit(child, field.id)),
  ]
  return fieldsOf(table).flatMap((field) => visit(field, null))
}

export function isLeaf(column: CatalogColumn): boolean {
  return column.type !== 'list' && column.type !== 'struct'
}

function catalogType(type: ColumnType): string {
  switch (type.kind) {
    case 'text':
      return 'varchar'
    case 'double':
      return 'float64'
    case 'decimal':
      return `decimal(${type.precision},0)`
    case 'timestamp':
      return 'timestamptz'
    default:
      return type.kind
  }
}

/**
 * The columns that the declaration has and the catalog lacks. Only nullable columns behind the known ones may be new.
 *
 * @throws SchemaChangedError for any other difference.
 */
export function newColumns(table: Table, known: readonly Omit<CatalogColumn, 'comment'>[]): CatalogColumn[] {
  const declared = catalogColumns(table)
  for (const [position, column] of known.entries()) {
    const now = declared[position]
    if (now === undefined) throw changed(table, column.name, describe(column), 'no longer declared')
    const same =
      now.id === column.id &&
      now.name === column.name &&
      now.type === column.type &&
      now.parentId === column.parentId &&
      now.nullable === column.nullable
    if (!same) throw changed(table, column.name, describe(column), describe(now))
  }
  const added = declared.slice(known.length)
  for (const column of added) {
    if (column.parentId !== null && column.parentId <= known.length)
      throw changed(table, column.name, 'not there', `new inside another column: ${describe(column)}`)
    if (column.parentId === null && !column.nullable)
      throw changed(table, column.name, 'not there', `new and not nullable: ${describe(column)}`)
  }
  return added
}

function describe(column: Omit<CatalogColumn, 'comment'>): string {
  return `${column.name} ${column.type}${column.nullable ? '' : ' not null'} (field id ${column.id})`
}

function changed(table: Table, column: string, before: string, now: string): SchemaChangedError {
  return new SchemaChangedError(`Table ${table.name} was written with other columns than this version declares.`, {
    details: { table: table.name, column, 'in the lake': before, declared: now },
    hint: 'Only nullable columns may be added, behind the others. Use the version of chainlake that wrote the lake, or export into a new one.',
  })
}
