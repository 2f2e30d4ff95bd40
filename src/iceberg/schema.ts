import { CatalogError, SchemaError } from '../errors.ts'
import { groupBy } from '../lib/arrays.ts'
import { catalogTimeMicros } from '../lib/time.ts'
import type { CatalogFile } from '../model.ts'

/** The facts of a table that chainlake publishes, from the catalog of the lake. */
export type LakeTable = {
  readonly name: string
  readonly comment: string | null
  /** Every column; nested columns come after their parents. */
  readonly columns: readonly LakeColumn[]
  readonly partition: readonly LakePartitionColumn[]
  readonly files: readonly CatalogFile[]
}

type LakeColumn = {
  /** The permanent id of the column, also used in the Parquet files. */
  readonly id: number
  readonly name: string
  /** DuckLake's name of the type. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string | null
}

/** DuckLake cuts a time into its numbers: a month is `year` and `month` of one column, and a day is those two and `day`. */
type LakePartitionColumn = { readonly columnId: number; readonly transform: string }

/**
 * A value as bytes, by the single-value serialization of the Iceberg specification (Appendix D). `type` is Iceberg's type, and `text` is
 * the value in DuckLake's statistics. Null for a text that is not such a value, and for types without bounds. A missing bound prunes
 * nothing, but a wrong one hides rows.
 */
export function singleValue(type: string, text: string): Buffer | null {
  switch (type) {
    case 'string':
      return Buffer.from(text, 'utf8')
    case 'binary':
      return /^([0-9A-Fa-f]{2})*$/.test(text) ? Buffer.from(text, 'hex') : null
    case 'boolean':
      return text === '0' || text === '1' ? Buffer.from([Number(text)]) : null
    case 'long':
      return whole(text, longBytes)
    case 'timestamptz': {
      const time = catalogTimeMicros(text)
      return time === null ? null : longBytes(time)
    }
  }
  const [, precision, scale] = /^decimal\((\d+), (\d+)\)$/.exec(type) ?? []
  // DuckLake writes decimals that have decimal places with a point. A lake has none.
  if (precision === undefined || scale !== '0') return null
  const limit = 10n ** BigInt(precision)
  return whole(text, (value) => (-limit < value && value < limit ? shortestBytes(value) : null))
}

function whole(text: string, bytesOf: (value: bigint) => Buffer | null): Buffer | null {
  return /^-?\d+$/.test(text) ? bytesOf(BigInt(text)) : null
}

function longBytes(value: bigint): Buffer | null {
  if (BigInt.asIntN(64, value) !== value) return null
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

/** Two's complement, big-endian, in the fewest bytes that hold the sign. */
function shortestBytes(value: bigint): Buffer {
  let length = 1
  while (BigInt.asIntN(8 * length, value) !== value) length++
  const hex = BigInt.asUintN(8 * length, value).toString(16)
  return Buffer.from(hex.padStart(2 * length, '0'), 'hex')
}

/** A type as the Iceberg specification writes it in JSON (Appendix C). */
type IcebergType = string | IcebergStruct | IcebergList
type IcebergStruct = { readonly type: 'struct'; readonly fields: readonly IcebergField[] }
type IcebergList = {
  readonly type: 'list'
  readonly 'element-id': number
  readonly 'element-required': boolean
  readonly element: IcebergType
}
type IcebergField = {
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
  const below = groupBy(table.columns, ({ parentId }) => parentId)
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

type PartitionField = {
  readonly 'source-id': number
  readonly 'field-id': number
  readonly name: string
  readonly transform: 'identity' | 'month' | 'day'
}

/** How the files of a table are partitioned: the fields that Iceberg states, and the type of the values of each field. */
export type PartitionSpec = {
  readonly fields: readonly PartitionField[]
  readonly types: readonly PartitionType[]
}

/** Results of `month` are numbers (months since 1970), those of `day` are dates (days since 1970). */
type PartitionType = 'string' | 'long' | 'int' | 'date'

/** A value of a partition field; null where the source column is null. */
type PartitionValue = string | number | null

/** Iceberg numbers the fields of partitions from this id on. */
const firstFieldId = 1000

/** The highest id of a field of a spec. */
export function lastPartitionId({ fields }: PartitionSpec): number {
  return firstFieldId + fields.length - 1
}

/**
 * The partitioning of a table in Iceberg's terms: `year` and `month` of a column become one `month`; with `day` they become one `day`.
 *
 * @throws SchemaError `iceberg.partition` for a partitioning that Iceberg does not have.
 */
export function partitionSpec({ name, columns, partition }: LakeTable): PartitionSpec {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const fields: PartitionField[] = []
  const types: PartitionType[] = []
  for (let at = 0; at < partition.length; ) {
    const { columnId } = partition[at] ?? { columnId: 0 }
    const own = partition.slice(at).map((key) => (key.columnId === columnId ? key.transform : null))
    const found = shapes.find((shape) => shape.parts.every((part, position) => own[position] === part))
    const column = byId.get(columnId)
    const type = found === undefined || column === undefined ? undefined : found.typeOf(column.type)
    if (found === undefined || column === undefined || type === undefined)
      throw new SchemaError(`Table ${name} is partitioned in a way that cannot be published as Iceberg.`, {
        code: 'iceberg.partition',
        details: { table: name, column: column?.name ?? columnId, transform: own.filter((part) => part).join(', ') },
        hint: 'Publish the other tables by name (--table). Nothing was published.',
      })
    const { transform } = found
    fields.push({
      'source-id': columnId,
      'field-id': firstFieldId + fields.length,
      // Iceberg's own writers use these names.
      name: transform === 'identity' ? column.name : `${column.name}_${transform}`,
      transform,
    })
    types.push(type)
    at += found.parts.length
  }
  return { fields, types }
}

type Shape = {
  readonly parts: readonly string[]
  readonly transform: PartitionField['transform']
  readonly typeOf: (type: string) => PartitionType | undefined
}

const identityTypes: Readonly<Record<string, PartitionType>> = { string: 'string', long: 'long' }
const ofTime = (result: PartitionType) => (type: string) => (type === 'timestamptz' ? result : undefined)

/** Longer shapes come first. */
const shapes: readonly Shape[] = [
  { parts: ['year', 'month', 'day'], transform: 'day', typeOf: ofTime('date') },
  { parts: ['year', 'month'], transform: 'month', typeOf: ofTime('int') },
  { parts: ['identity'], transform: 'identity', typeOf: (type) => identityTypes[primitiveType(type) ?? ''] },
]

/**
 * The values of a file's partition, one for each field. Months and days are counted from 1970.
 *
 * @throws CatalogError `iceberg.partition-value` for a file that was written with another partitioning.
 */
export function partitionTuple(
  { fields, types }: PartitionSpec,
  texts: readonly (string | null)[],
  path: string,
): PartitionValue[] {
  const values = fields.map(({ transform }, position) => {
    const text = texts[position] ?? null
    if (text === null) return null
    if (transform === 'month') return monthsOf(text)
    if (transform === 'day') return daysOf(text)
    return types[position] === 'long' ? longOf(text) : text
  })
  if (texts.length === fields.length && values.every((value) => value !== undefined)) return values
  throw new CatalogError('A file was written with another partitioning than its table has.', {
    code: 'iceberg.partition-value',
    details: { path, partition: JSON.stringify(texts) },
    hint: 'It cannot be published as Iceberg; publish the other tables by name (--table).',
  })
}

/** The bytes of a value, for the bounds in a manifest list. */
export function partitionBytes(type: PartitionType, value: string | number): Buffer | null {
  if (type === 'string' || type === 'long') return singleValue(type, String(value))
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(Number(value))
  return bytes
}

/** Compares texts by their UTF-8 bytes, which is the order of their code points. */
export function comparePartitionValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

function monthsOf(text: string): number | undefined {
  const [, year, month] = /^(\d{4})-(\d\d)$/.exec(text) ?? []
  return year === undefined ? undefined : (Number(year) - 1970) * 12 + Number(month) - 1
}

function daysOf(text: string): number | undefined {
  const milliseconds = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 86_400_000
}

function longOf(text: string): number | undefined {
  const value = Number(text)
  return /^-?\d+$/.test(text) && Number.isSafeInteger(value) ? value : undefined
}
