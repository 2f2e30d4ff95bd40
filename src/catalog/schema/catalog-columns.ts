import { type ColumnType, type Field, fieldsOf, type Table } from '../../define/index.ts'

/** A column in the catalog. Nested columns follow their parent. */
export type CatalogColumn = {
  readonly id: number
  /** Position among the columns of the table, counted from 1. Nested columns follow their parent. */
  readonly order: number
  readonly name: string
  /** Type name in DuckLake: `int64`, `varchar`, `decimal(20,0)`, `list`, `struct`. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string
}

/** The catalog columns of a declared table, depth first. */
export function catalogColumns(table: Table): CatalogColumn[] {
  let order = 0
  const visit = (field: Field, parentId: number | null): CatalogColumn[] => [
    {
      id: field.id,
      order: ++order,
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
