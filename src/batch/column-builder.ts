import type { Field } from '../define/index.ts'
import { blobValues, textValues } from './bytes-values.ts'
import { booleanValues, decimalValues, doubleValues, int64Values, timestampValues } from './fixed-values.ts'
import { listValues, structValues } from './nested-values.ts'
import { refusedValue } from './refusal.ts'
import { type ByteCount, type ColumnBuilder, type Values, withRoom } from './values.ts'

/** Builds a column as it is declared. Errors name `table`; `count` grows with the bytes that the column holds. */
export function columnBuilder(table: string, field: Field, count: ByteCount): ColumnBuilder {
  const column = `${table}.${field.path}`
  const nullable = field.column.nullable
  const values = valuesOf(table, field, count)
  // Positions of nulls instead of a bitmap: most columns have no nulls, and a value that is not null then costs nothing.
  let nulls = new Int32Array()
  let nullCount = 0
  let length = 0
  return {
    append(block, size) {
      const before = nullCount
      for (let i = 0; i < size; i++) {
        if (block[i] !== null) continue
        if (!nullable) throw refusedValue(column, null, 'no nulls')
        nulls = withRoom(nulls, nullCount + 1)
        nulls[nullCount++] = length + i
      }
      if (nullCount - before === size) values.pad(size)
      else values.append(block, size)
      length += size
    },
    pad(size) {
      values.pad(size)
      length += size
    },
    length: () => length,
    data: () => values.data(length, { nullCount, nullBitmap: bitmap(length, nulls.subarray(0, nullCount)) }),
    clear() {
      values.clear()
      nullCount = 0
      length = 0
    },
  }
}

/** One bit per value, set where the value is not null; null if the column has no nulls. */
function bitmap(length: number, nulls: Int32Array): Uint8Array | null {
  if (nulls.length === 0) return null
  const bits = new Uint8Array(Math.ceil(length / 8)).fill(0xff)
  for (const index of nulls) (bits[index >> 3] as number) &= ~(1 << (index & 7))
  return bits
}

function valuesOf(table: string, field: Field, count: ByteCount): Values {
  const column = `${table}.${field.path}`
  const type = field.column.type
  switch (type.kind) {
    case 'text':
      return textValues(column, count)
    case 'int64':
      return int64Values(column, count)
    case 'double':
      return doubleValues(column, count)
    case 'boolean':
      return booleanValues(column, count)
    case 'decimal':
      return decimalValues(column, type.precision, count)
    case 'timestamp':
      return timestampValues(column, count)
    case 'blob':
      return blobValues(column, count)
    case 'list':
      return listValues(column, field, columnBuilder(table, field.children[0] as Field, count), count)
    case 'struct': {
      const builders = field.children.map((child) => columnBuilder(table, child, count))
      return structValues(column, field, builders)
    }
  }
}
