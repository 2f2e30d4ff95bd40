import type { FileHandle } from 'node:fs/promises'
import { type ColumnType, type Field, fieldsOf, type Table } from '../define/index.ts'
import { StorageError } from '../errors.ts'
import { sumOf } from '../lib/arrays.ts'
import { isObject } from '../lib/json.ts'
import type { LeafStats } from '../model.ts'
import { readThrift, type Thrift } from './thrift.ts'

type ColumnChunk = ReturnType<typeof chunkOf>

/** A column of a file, also a nested one. */
export type FileColumn = { readonly id: number; readonly name: string }

export type Footer = ReturnType<typeof footerOf>

/** Reads the metadata at the end of a complete Parquet file of `size` bytes. Throws `StorageError` when the file is not one. */
export async function readFooter(file: FileHandle, size: number): Promise<Footer> {
  const tail = await readAt(file, Math.max(0, size - 8), 8)
  if (tail.toString('latin1', 4) !== 'PAR1') throw notParquet('does not end as one')
  const length = tail.readUInt32LE(0)
  if (length > size - 12) throw notParquet('has metadata longer than itself')
  return footerOf(readThrift(await readAt(file, size - 8 - length, length)), length)
}

/** Field ids of parquet.thrift: FileMetaData 2 schema, 3 num_rows, 4 row_groups; RowGroup 1 columns, 3 num_rows; ColumnChunk 3. */
function footerOf({ field_2, field_3, field_4 }: Thrift, bytes: number) {
  const schema = list(field_2).map(struct)
  const groups = list(field_4).map(struct)
  // A leaf is an element without children (5 num_children); 9 is its field_id.
  const leaves = schema.filter(({ field_5 }) => field_5 === undefined)
  return {
    /** Length of the thrift metadata in bytes. */
    bytes,
    rows: Number(field_3),
    /** Field id of each leaf, in the order of the chunks; undefined for a leaf without one. */
    leafFieldIds: leaves.map(({ field_9 }) => optionalNumber(field_9)),
    /** The columns that have a field id, depth first. */
    columns: schema.flatMap(columnOf),
    /** By row group, then by leaf. */
    rowGroups: groups.map((group) => list(group.field_1).map(chunkOf)),
    groupRows: groups.map((group) => Number(group.field_3)),
  }
}

/** SchemaElement: 4 name, 9 field_id. */
function columnOf({ field_4, field_9 }: Thrift): FileColumn[] {
  const id = optionalNumber(field_9)
  return id === undefined ? [] : [{ id, name: Buffer.from(field_4 as Uint8Array).toString('utf8') }]
}

/**
 * A column of a row group. ColumnMetaData: 5 num_values, 7 total_compressed_size, 9 data_page_offset, 11 dictionary_page_offset, 12
 * statistics; Statistics: 3 null_count, 5 max, 6 min.
 */
function chunkOf(chunk: unknown) {
  const column = struct(struct(chunk).field_3)
  const statistics = struct(column.field_12 ?? {})
  return {
    values: Number(column.field_5),
    /** Offset of its first page in the file, in bytes. */
    from: Number(column.field_11 ?? column.field_9),
    compressedBytes: Number(column.field_7),
    /** Undefined where the writer gave no statistics, as its bounds are. */
    nullCount: optionalNumber(statistics.field_3),
    min: statistics.field_6 as Uint8Array | undefined,
    max: statistics.field_5 as Uint8Array | undefined,
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead !== length) throw notParquet('is cut off')
  return buffer
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw notParquet('has no list where its metadata needs one')
  return value
}

function struct(value: unknown): Thrift {
  if (!isObject(value) || value instanceof Uint8Array) throw notParquet('has no struct where its metadata needs one')
  return value
}

function optionalNumber(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value)
}

function notParquet(how: string): StorageError {
  return new StorageError(`The file written is no whole Parquet file: it ${how}.`, {
    code: 'storage.parquet',
    hint: 'Nothing of it is committed; run again, and report it if it comes back.',
  })
}

/** A time as DuckDB writes it: `2024-01-15 12:30:00.123456+00`. `time`: microseconds since 1970 UTC, years 1 to 9999. */
export function timestampText(time: bigint): string {
  const fraction = ((time % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((time - fraction) / 1000n)).toISOString().slice(0, 19).replace('T', ' ')
  const digits = String(fraction).padStart(6, '0').replace(/0+$/, '')
  return `${seconds}${digits === '' ? '' : `.${digits}`}+00`
}

/**
 * Statistics of each leaf of a table over all row groups, as DuckLake writes them (DuckLake specification, `ducklake_file_column_stats`).
 * Minima and maxima of numbers and times are exact. Those of text and blobs are bounds, because the writer cuts them at 64 bytes. Doubles
 * have none: the statistics leave NaN out, so a reader that prunes by them would miss it.
 */
export function leafStats(table: Table, footer: Footer): LeafStats[] {
  return leavesOf(fieldsOf(table)).map((leaf, position) => {
    if (footer.leafFieldIds[position] !== leaf.id)
      throw new StorageError(`The file written has another column where ${table.name}.${leaf.path} should be.`, {
        code: 'storage.parquet',
        details: { expected: leaf.id, found: footer.leafFieldIds[position] },
      })
    return statsOf(
      leaf,
      footer.rowGroups.map((group) => group[position] as ColumnChunk),
    )
  })
}

/** The columns that have values of their own, in the order of the columns in a file. */
export function leavesOf(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => (field.children.length === 0 ? [field] : leavesOf(field.children)))
}

export function statsOf(leaf: Field, chunks: readonly ColumnChunk[]): LeafStats {
  const order = orders[leaf.column.type.kind]
  const withValues = chunks.filter((chunk) => chunk.nullCount !== chunk.values)
  return {
    fieldId: leaf.id,
    columnBytes: sumOf(chunks, 'compressedBytes'),
    valueCount: sumOf(chunks, 'values'),
    nullCount: chunks.reduce((sum, chunk) => sum + nullsOf(leaf, chunk), 0),
    min: bound(order, -1, withValues, ({ min }) => min),
    max: bound(order, 1, withValues, ({ max }) => max),
  }
}

function nullsOf(leaf: Field, chunk: ColumnChunk): number {
  if (chunk.nullCount !== undefined) return chunk.nullCount
  throw new StorageError(`The file written does not say how many nulls ${leaf.path} has.`, { code: 'storage.parquet' })
}

/** How the bytes of a kind of column become a value, how values compare, and their text in the catalog. */
type Order<V = any> = {
  readonly value: (bytes: Uint8Array) => V
  readonly compare: (a: V, b: V) => number
  readonly text: (value: V) => string | null
}

const numbers = { compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0), text: String }
const bytes = { value: (bytes: Uint8Array) => bytes, compare: Buffer.compare }

const orders: Readonly<Record<ColumnType['kind'], Order | null>> = {
  int64: { ...numbers, value: int64 },
  timestamp: { ...numbers, value: int64, text: timestampText },
  decimal: { ...numbers, value: decimal },
  boolean: { ...numbers, value: (bytes) => BigInt(bytes[0] ?? 0) },
  text: { ...bytes, text: utf8 },
  blob: { ...bytes, text: (value) => Buffer.from(value).toString('hex').toUpperCase() },
  double: null,
  list: null,
  struct: null,
}

/** Null for kinds without an order, when a row group with values states no bound, or when there are no values. */
function bound(
  order: Order | null,
  sign: -1 | 1,
  chunks: readonly ColumnChunk[],
  boundOf: (chunk: ColumnChunk) => Uint8Array | undefined,
): string | null {
  let best: unknown
  if (order === null) return null
  for (const bytes of chunks.map(boundOf)) {
    if (bytes === undefined) return null
    const value = order.value(bytes)
    if (best === undefined || sign * order.compare(value, best) > 0) best = value
  }
  return best === undefined ? null : order.text(best)
}

function int64(bytes: Uint8Array): bigint {
  return Buffer.from(bytes).readBigInt64LE(0)
}

/** Signed, big-endian, of any length. */
function decimal(bytes: Uint8Array): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
