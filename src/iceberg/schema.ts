import { type ColumnType, type Field, fieldsOf, type Table } from '../define/index.ts'
import { CatalogError, SchemaError } from '../errors.ts'
import { catalogTimeMicros } from '../lib/time.ts'

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

/** The columns of a table in Iceberg's terms. Each has a type that holds exactly the same values. */
export function schemaFields(fields: readonly Field[]): IcebergField[] {
  return fields.map((field) => ({
    id: field.id,
    name: field.name,
    required: !field.column.nullable,
    type: typeOf(field),
    doc: field.column.comment,
  }))
}

function typeOf({ column: { type }, children }: Field): IcebergType {
  if (type.kind === 'struct') return { type: 'struct', fields: schemaFields(children) }
  const [item] = children
  if (item === undefined) return primitiveType(type)
  return { type: 'list', 'element-id': item.id, 'element-required': !item.column.nullable, element: typeOf(item) }
}

/** Iceberg types that read the same bytes. */
const primitives: Readonly<Record<string, string>> = {
  text: 'string',
  int64: 'long',
  boolean: 'boolean',
  double: 'double',
  timestamp: 'timestamptz',
  blob: 'binary',
}

function primitiveType(type: ColumnType): string {
  return type.kind === 'decimal' ? `decimal(${type.precision}, 0)` : primitives[type.kind]!
}

/** The highest id of a field, including nested fields. */
export function highestId(fields: readonly Field[]): number {
  return Math.max(0, ...fields.flatMap(({ id, children }) => [id, highestId(children)]))
}

/** The types of the columns that have values, by id, and whether they are inside a list: a value there is not a value of a row. */
export function leafTypes(
  fields: readonly Field[],
  isInList = false,
): Map<number, { type: string; isInList: boolean }> {
  return new Map(
    fields.flatMap(({ id, column: { type }, children }) =>
      children.length === 0
        ? [[id, { type: primitiveType(type), isInList }] as const]
        : [...leafTypes(children, isInList || type.kind === 'list')],
    ),
  )
}

/** How the files of a table are partitioned: the fields that Iceberg states, and how the values of each are written. */
export type PartitionSpec = ReturnType<typeof partitionSpec>

/** A value of a partition field; null where the source column is null. */
type PartitionValue = string | number | null

type PartitionKind = {
  /** The type in Avro. */
  readonly avro: unknown
  /** The value of a text of the catalog; undefined for a text of another partitioning. */
  readonly valueOf: (text: string) => string | number | undefined
  /** The bytes of a value, for the bounds in a manifest list. */
  readonly bytesOf: (value: string | number) => Buffer | null
}

/** By the transform and the kind of the column. Months are numbers, days are dates; both are counted from 1970. */
const partitionKinds: Readonly<Record<string, PartitionKind>> = {
  'identity text': {
    avro: 'string',
    valueOf: (text) => text,
    bytesOf: (value) => singleValue('string', String(value)),
  },
  'identity int64': { avro: 'long', valueOf: longOf, bytesOf: (value) => singleValue('long', String(value)) },
  'month timestamp': { avro: 'int', valueOf: monthsOf, bytesOf: intBytes },
  'day timestamp': { avro: { type: 'int', logicalType: 'date' }, valueOf: daysOf, bytesOf: intBytes },
}

/** Iceberg numbers the fields of partitions from this id on. */
const firstFieldId = 1000

/** The highest id of a field of a spec. */
export function lastPartitionId({ length }: PartitionSpec): number {
  return firstFieldId + length - 1
}

/**
 * The partitioning of a table in Iceberg's terms.
 *
 * @throws SchemaError `iceberg.partition` for a partitioning that Iceberg does not have.
 */
export function partitionSpec(table: Table) {
  const byName = new Map(fieldsOf(table).map((field) => [field.name, field]))
  return table.partitionBy.map(({ transform, column: name }, position) => {
    const source = byName.get(name)
    const kind = source === undefined ? undefined : partitionKinds[`${transform} ${source.column.type.kind}`]
    if (source === undefined || kind === undefined)
      throw new SchemaError(`Table ${table.name} is partitioned in a way that cannot be published as Iceberg.`, {
        code: 'iceberg.partition',
        details: { table: table.name, column: name, transform },
        hint: 'Publish the other tables by name (--table). Nothing was published.',
      })
    // Iceberg's own writers use these names.
    const partition = { name: transform === 'identity' ? name : `${name}_${transform}`, transform }
    return { kind, field: { 'source-id': source.id, 'field-id': firstFieldId + position, ...partition } }
  })
}

/**
 * The partition of a file: the value of each field by its name.
 *
 * @throws CatalogError `iceberg.partition-value` for a file that was written with another partitioning.
 */
export function partitionOf(
  spec: PartitionSpec,
  texts: readonly (string | null)[],
  path: string,
): Readonly<Record<string, PartitionValue>> {
  const values = spec.flatMap(({ kind, field: { name } }, position) => {
    const text = texts[position] ?? null
    const value = text === null ? null : kind.valueOf(text)
    return value === undefined ? [] : [[name, value] as const]
  })
  if (texts.length === spec.length && values.length === spec.length) return Object.fromEntries(values)
  throw new CatalogError('A file was written with another partitioning than its table has.', {
    code: 'iceberg.partition-value',
    details: { path, partition: JSON.stringify(texts) },
    hint: 'It cannot be published as Iceberg; publish the other tables by name (--table).',
  })
}

function intBytes(value: string | number): Buffer {
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
