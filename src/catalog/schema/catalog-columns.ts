import { type ColumnType, type Field, fieldsOf, type Table } from '../../define/index.ts'

/** A column as the catalog states it; nested ones follow their parent. */
export type CatalogColumn = {
  readonly id: number
  /** Where it stands among the columns of the table, counted from 1, nested ones behind their parent. */
  readonly order: number
  readonly name: string
  /** DuckLake's name of the type: `int64`, `varchar`, `decimal(20,0)`, `list`, `struct`. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string
}

/** The columns of a declaration as the catalog states them, depth first. */
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
