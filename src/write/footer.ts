import type { FileHandle } from 'node:fs/promises'
import { StorageError } from '../errors.ts'
import { readThrift, type Thrift, type ThriftStruct } from './thrift.ts'

/** A column of a row group, from its thrift `ColumnMetaData`. */
export type ColumnChunk = {
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
