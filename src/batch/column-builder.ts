import { type Field as ArrowField, type Data, type DataType, List, makeData, Struct } from 'apache-arrow'
import type { Field } from '../define/index.ts'
import { arrowField } from './arrow-schema.ts'
import { blobValues, textValues } from './bytes-values.ts'
import { booleanValues, decimalValues, doubled, doubleValues, int64Values, timestampValues } from './fixed-values.ts'
import { compareKeys, refusedValue } from './refusal.ts'
import { type ByteCount, firstCapacity, type Nulls, type Values } from './values.ts'

/** A column that rows go into: values, and where they are null. */
export type ColumnBuilder = {
  /** Throws `SchemaError` for what the column does not hold, null in a column that is not nullable included. */
  append(value: unknown): void
  /** Takes a place under a struct that is null. */
  pad(): void
  length(): number
  /** Arrow data over the memory of the column: to be copied before the next `append`. */
  data(): Data
  /** Forgets the values and keeps the memory. */
  clear(): void
}

/** Lays a column out as it is declared. `table` is named in errors; `count` grows with the bytes it holds. */
export function columnBuilder(table: string, field: Field, count: ByteCount): ColumnBuilder {
  const column = `${table}.${field.path}`
  const nullable = field.column.nullable
  const values = valuesOf(table, field, count)
  // Positions instead of a bitmap: most columns have no nulls, and a value that is not null then costs nothing.
  let nulls = new Int32Array(16)
  let nullCount = 0
  let length = 0
  return {
    append(value) {
      if (value === null) {
        if (!nullable) throw refusedValue(column, value, 'no nulls')
        if (nullCount === nulls.length) nulls = doubled(nulls)
        nulls[nullCount++] = length
        values.pad()
      } else values.append(value)
      length++
    },
    pad() {
      values.pad()
      length++
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

/** One bit a value, set where it is not null; none at all without nulls. */
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
      return listValues(table, field, count)
    case 'struct':
      return structValues(table, field, count)
  }
}

function listValues(table: string, field: Field, count: ByteCount): Values {
  const column = `${table}.${field.path}`
  const element = field.children[0] as Field
  const type = new List(arrowField(element) as ArrowField<DataType>)
  const items = columnBuilder(table, element, count)
  let ends = new Int32Array(firstCapacity)
  let length = 0
  const end = (): void => {
    if (length + 1 === ends.length) ends = doubled(ends)
    ends[++length] = items.length()
    count.bytes += 4
  }
  return {
    append(value) {
      if (!Array.isArray(value)) throw refusedValue(column, value, 'arrays')
      for (let i = 0; i < value.length; i++) items.append(value[i])
      end()
    },
    pad: end,
    data: (length: number, nulls: Nulls) =>
      makeData({ type, length, ...nulls, valueOffsets: ends.subarray(0, length + 1), child: items.data() }),
    clear() {
      items.clear()
      length = 0
    },
  }
}

function structValues(table: string, field: Field, count: ByteCount): Values {
  const column = `${table}.${field.path}`
  const type = new Struct(field.children.map(arrowField))
  const names = field.children.map((child) => child.name)
  const children = field.children.map((child) => ({
    name: child.name,
    builder: columnBuilder(table, child, count),
  }))
  let compared = false
  return {
    append(value) {
      if (typeof value !== 'object' || value === null) throw refusedValue(column, value, 'objects')
      if (!compared) {
        compareKeys(column, names, value)
        compared = true
      }
      for (const { name, builder } of children) builder.append((value as Record<string, unknown>)[name])
    },
    pad() {
      for (const { builder } of children) builder.pad()
    },
    data: (length: number, nulls: Nulls) =>
      makeData({ type, length, ...nulls, children: children.map(({ builder }) => builder.data()) }),
    clear() {
      for (const { builder } of children) builder.clear()
    },
  }
}
