import {
  Field as ArrowField,
  Binary,
  Bool,
  type DataType,
  Decimal,
  Float64,
  Int64,
  List,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import { type Field, fieldsOf, type Table } from '../define/index.ts'

/** The Arrow schema of a table. Every field, including nested ones, carries the id of its Parquet column. */
export function arrowSchema(table: Table): Schema {
  return new Schema(fieldsOf(table).map(arrowField))
}

export function arrowField(field: Field): ArrowField {
  const metadata = new Map([['PARQUET:field_id', String(field.id)]])
  return new ArrowField(field.name, arrowType(field), field.column.nullable, metadata)
}

/** Timestamps are microseconds in UTC. Decimals have 128 bits, because readers read wider ones as floating point. */
function arrowType(field: Field): DataType {
  const type = field.column.type
  switch (type.kind) {
    case 'text':
      return new Utf8()
    case 'int64':
      return new Int64()
    case 'double':
      return new Float64()
    case 'boolean':
      return new Bool()
    case 'decimal':
      return new Decimal(0, type.precision, 128)
    case 'timestamp':
      return new TimestampMicrosecond('UTC')
    case 'blob':
      return new Binary()
    case 'list':
      return new List(field.children.map(arrowField)[0] as ArrowField)
    case 'struct':
      return new Struct(field.children.map(arrowField))
  }
}
