import type { FileHandle } from 'node:fs/promises'
import { type ColumnType, type Field, fieldsOf, type Table } from '../define/index.ts'
import { StorageError } from '../errors.ts'
import type { LeafStats } from '../model.ts'

/** A column of a row group, from its thrift `ColumnMetaData`. */
type ColumnChunk = {
  readonly values: number
  /** Offset of its first page in the file, in bytes. */
  readonly from: number
  readonly compressedBytes: number
  /** Undefined where the writer gave no statistics. */
  readonly nullCount: number | undefined
  readonly min: Uint8Array | undefined
  readonly max: Uint8Array | undefined
}

/** A column of a file, also a nested one. */
export type FileColumn = { readonly id: number; readonly name: string; readonly nullable: boolean }

export type Footer = {
  /** Length of the thrift metadata in bytes. */
  readonly bytes: number
  readonly rows: number
  /** Field id of each leaf, in the order of the chunks; undefined for a leaf without one. */
  readonly leafFieldIds: readonly (number | undefined)[]
  /** The columns that have a field id, depth first. */
  readonly columns: readonly FileColumn[]
  /** By row group, then by leaf. */
  readonly rowGroups: readonly (readonly ColumnChunk[])[]
  /** Rows of each row group. */
  readonly groupRows: readonly number[]
}

/** Reads the metadata at the end of a complete Parquet file of `size` bytes. Throws `StorageError` when the file is not one. */
export async function readFooter(file: FileHandle, size: number): Promise<Footer> {
  const tail = await readAt(file, Math.max(0, size - 8), 8)
  if (tail.toString('latin1', 4) !== 'PAR1') throw notParquet('does not end as one')
  const length = tail.readUInt32LE(0)
  if (length > size - 12) throw notParquet('has metadata longer than itself')
  return footerOf(readThrift(await readAt(file, size - 8 - length, length)), length)
}

/** Field ids of parquet.thrift: FileMetaData 2 schema, 3 num_rows, 4 row_groups; RowGroup 1 columns, 3 num_rows; ColumnChunk 3. */
function footerOf(metadata: ThriftStruct, bytes: number): Footer {
  const schema = list(metadata.get(2)).map(struct)
  // A leaf is an element without children (5 num_children); 9 is its field_id.
  const leaves = schema.filter((element) => !element.has(5))
  return {
    bytes,
    rows: Number(metadata.get(3)),
    leafFieldIds: leaves.map((leaf) => optionalNumber(leaf.get(9))),
    columns: schema.flatMap(columnOf),
    rowGroups: list(metadata.get(4)).map((group) => list(struct(group).get(1)).map(chunkOf)),
    groupRows: list(metadata.get(4)).map((group) => Number(struct(group).get(3))),
  }
}

/** SchemaElement: 3 repetition_type (0 is required), 4 name, 9 field_id. */
function columnOf(element: ThriftStruct): FileColumn[] {
  const id = optionalNumber(element.get(9))
  if (id === undefined) return []
  const name = Buffer.from(element.get(4) as Uint8Array).toString('utf8')
  return [{ id, name, nullable: optionalNumber(element.get(3)) !== 0 }]
}

/**
 * ColumnMetaData: 5 num_values, 7 total_compressed_size, 9 data_page_offset, 11 dictionary_page_offset, 12 statistics; Statistics: 3
 * null_count, 5 max, 6 min.
 */
function chunkOf(chunk: Thrift): ColumnChunk {
  const column = struct(struct(chunk).get(3))
  const statistics = column.has(12) ? struct(column.get(12)) : new Map<number, Thrift>()
  return {
    values: Number(column.get(5)),
    from: Number(column.get(11) ?? column.get(9)),
    compressedBytes: Number(column.get(7)),
    nullCount: optionalNumber(statistics.get(3)),
    min: statistics.get(6) as Uint8Array | undefined,
    max: statistics.get(5) as Uint8Array | undefined,
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead !== length) throw notParquet('is cut off')
  return buffer
}

function list(value: Thrift | undefined): Thrift[] {
  if (!Array.isArray(value)) throw notParquet('has no list where its metadata needs one')
  return value
}

function struct(value: Thrift | undefined): ThriftStruct {
  if (!(value instanceof Map)) throw notParquet('has no struct where its metadata needs one')
  return value
}

function optionalNumber(value: Thrift | undefined): number | undefined {
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

/** Statistics of one leaf, from its chunks in all row groups. */
export function statsOf(leaf: Field, chunks: readonly ColumnChunk[]): LeafStats {
  const order = orders[leaf.column.type.kind]
  const withValues = chunks.filter((chunk) => chunk.nullCount !== chunk.values)
  return {
    fieldId: leaf.id,
    columnBytes: sum(chunks.map((chunk) => chunk.compressedBytes)),
    valueCount: sum(chunks.map((chunk) => chunk.values)),
    nullCount: sum(chunks.map((chunk) => nullsOf(leaf, chunk))),
    min:
      order === null
        ? null
        : bound(
            withValues.map((chunk) => chunk.min),
            order,
            -1,
          ),
    max:
      order === null
        ? null
        : bound(
            withValues.map((chunk) => chunk.max),
            order,
            1,
          ),
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

/** Null when a row group with values states no bound, or when there are no values. */
function bound(all: readonly (Uint8Array | undefined)[], order: Order, sign: -1 | 1): string | null {
  let best: unknown
  for (const bytes of all) {
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** A decoded thrift value; a struct is a map from field id to value. */
type Thrift = boolean | bigint | Uint8Array | Thrift[] | ThriftStruct
type ThriftStruct = Map<number, Thrift>

type Cursor = { readonly bytes: Uint8Array; at: number }

/** Reads one struct in thrift's compact protocol, the format of Parquet footers. Throws `StorageError`. */
function readThrift(bytes: Uint8Array): ThriftStruct {
  return readStruct({ bytes, at: 0 })
}

function readStruct(cursor: Cursor): ThriftStruct {
  const fields: ThriftStruct = new Map()
  let id = 0
  for (;;) {
    const header = readByte(cursor)
    if (header === 0) return fields
    id = header >> 4 === 0 ? Number(readZigzag(cursor)) : id + (header >> 4)
    const type = header & 0x0f
    // A boolean field has its value in its type.
    fields.set(id, type === 1 || type === 2 ? type === 1 : readValue(cursor, type))
  }
}

function readValue(cursor: Cursor, type: number): Thrift {
  switch (type) {
    case 1:
    case 2:
      return readByte(cursor) === 1
    case 3:
      return BigInt.asIntN(8, BigInt(readByte(cursor)))
    case 4:
    case 5:
    case 6:
      return readZigzag(cursor)
    case 7:
      return readBytes(cursor, 8)
    case 8:
      return readBytes(cursor, Number(readVarint(cursor)))
    case 9:
    case 10:
      return readList(cursor)
    case 12:
      return readStruct(cursor)
    default:
      throw malformed(`the type ${type}`)
  }
}

function readList(cursor: Cursor): Thrift[] {
  const header = readByte(cursor)
  const count = header >> 4 === 15 ? Number(readVarint(cursor)) : header >> 4
  const items: Thrift[] = []
  for (let i = 0; i < count; i++) items.push(readValue(cursor, header & 0x0f))
  return items
}

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at++]
  if (byte === undefined) throw malformed('an early end')
  return byte
}

function readBytes(cursor: Cursor, length: number): Uint8Array {
  const from = cursor.at
  cursor.at += length
  if (cursor.at > cursor.bytes.length) throw malformed('an early end')
  return cursor.bytes.subarray(from, cursor.at)
}

function readVarint(cursor: Cursor): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = readByte(cursor)
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
}

function readZigzag(cursor: Cursor): bigint {
  const value = readVarint(cursor)
  return (value >> 1n) ^ -(value & 1n)
}

function malformed(what: string): StorageError {
  return new StorageError(`The metadata of a Parquet file has ${what}.`, { code: 'storage.parquet' })
}
