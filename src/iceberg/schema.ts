import { SchemaError } from '../errors.ts'
import type { LakeColumn, LakeTable } from './lake-table.ts'

/** A type as the Iceberg specification writes it in JSON (Appendix C). */
type IcebergType = string | IcebergStruct | IcebergList
type IcebergStruct = { readonly type: 'struct'; readonly fields: readonly IcebergField[] }
type IcebergList = {
  readonly type: 'list'
  readonly 'element-id': number
  readonly 'element-required': boolean
  readonly element: IcebergType
}
export type IcebergField = {
  readonly id: number
  readonly name: string
  readonly required: boolean
  readonly type: IcebergType
  readonly doc?: string
}

/** The columns of a table in Iceberg's terms. Their ids are those of the catalog and of the Parquet files. */
export type IcebergSchema = IcebergStruct & { readonly 'schema-id': number }

/**
 * The columns of a table in Iceberg's terms. Each has a type that holds exactly the same values.
 *
 * @throws SchemaError `iceberg.type` for a column with a type that Iceberg does not have.
 */
export function schemaFields(table: Pick<LakeTable, 'name' | 'columns'>): IcebergField[] {
  const below = new Map<number | null, LakeColumn[]>()
  for (const column of table.columns) {
    const siblings = below.get(column.parentId) ?? []
    below.set(column.parentId, siblings)
    siblings.push(column)
  }
  const fieldOf = (column: LakeColumn, path: string): IcebergField => ({
    id: column.id,
    name: column.name,
    required: !column.nullable,
    type: typeOf(column, path),
    ...(column.comment === null ? {} : { doc: column.comment }),
  })
  const typeOf = (column: LakeColumn, path: string): IcebergType => {
    const nested = below.get(column.id) ?? []
    if (column.type === 'struct')
      return { type: 'struct', fields: nested.map((child) => fieldOf(child, `${path}.${child.name}`)) }
    if (column.type === 'list' && nested[0] !== undefined && nested.length === 1)
      return {
        type: 'list',
        'element-id': nested[0].id,
        'element-required': !nested[0].nullable,
        element: typeOf(nested[0], `${path}.${nested[0].name}`),
      }
    const type = primitiveType(column.type)
    if (type === null) throw notExpressed(table.name, path, column.type)
    return type
  }
  return (below.get(null) ?? []).map((column) => fieldOf(column, column.name))
}

/** The column types that chainlake writes, by DuckLake's names. Each has an Iceberg type that reads the same bytes. */
const primitives: Readonly<Record<string, string>> = {
  varchar: 'string',
  int64: 'long',
  float64: 'double',
  boolean: 'boolean',
  timestamptz: 'timestamptz',
  blob: 'binary',
}

/** Null for types that Iceberg does not have, or that no test has read back. */
export function primitiveType(type: string): string | null {
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined) return Number(precision) <= 38 ? `decimal(${precision}, ${scale})` : null
  return primitives[type] ?? null
}

/** The highest id of a field, including nested fields. */
export function highestId(fields: readonly IcebergField[]): number {
  return Math.max(0, ...fields.flatMap(({ id, type }) => [id, highestIdOf(type)]))
}

function highestIdOf(type: IcebergType): number {
  if (typeof type === 'string') return 0
  return type.type === 'struct' ? highestId(type.fields) : Math.max(type['element-id'], highestIdOf(type.element))
}

/** Ids of the columns inside lists: a value there is not a value of a row. */
export function idsWithinLists(columns: readonly LakeColumn[]): ReadonlySet<number> {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const isWithin = ({ parentId }: LakeColumn): boolean => {
    const parent = parentId === null ? undefined : byId.get(parentId)
    return parent !== undefined && (parent.type === 'list' || isWithin(parent))
  }
  return new Set(columns.filter(isWithin).map(({ id }) => id))
}

function notExpressed(table: string, column: string, type: string): SchemaError {
  return new SchemaError(`Column ${table}.${column} has the type ${type}, which cannot be published as Iceberg.`, {
    code: 'iceberg.type',
    details: { table, column, type },
    hint: 'Publish the other tables by name (--table). Nothing was published.',
  })
}
