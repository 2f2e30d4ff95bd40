import { type ColumnType, type Field, fieldsOf, type Table } from '../define/index.ts'
import { StorageError } from '../errors.ts'
import type { LeafStats } from '../model.ts'
import type { ColumnChunk, Footer } from './footer.ts'
import { timestampText } from './timestamp-text.ts'

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
