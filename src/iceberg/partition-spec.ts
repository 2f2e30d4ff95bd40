import { CatalogError, SchemaError } from '../errors.ts'
import type { LakeTable } from './lake-table.ts'
import { primitiveType } from './schema.ts'
import { singleValue } from './single-value.ts'

export type PartitionField = {
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
export type PartitionType = 'string' | 'long' | 'int' | 'date'

/** A value of a partition field; null where the source column is null. */
export type PartitionValue = string | number | null

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
