import type {
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api'
import type { ColumnType } from '../define/index.ts'

/** Converts a value of DuckDB to a value of a row. */
type ReadValue = (value: any) => unknown

/** Reader for values of a column; see `t` in src/define/column.ts. Integers are numbers if they are exact. */
export function valueReader(type: ColumnType): ReadValue {
  const read = notNull(type)
  return (value) => (value === null ? null : read(value))
}

function notNull(type: ColumnType): ReadValue {
  switch (type.kind) {
    case 'int64':
      return (value: bigint) => {
        const number = Number(value)
        return Number.isSafeInteger(number) ? number : value
      }
    case 'decimal':
      return (value: DuckDBDecimalValue) => value.value
    case 'timestamp':
      return (value: DuckDBTimestampTZValue) => value.micros
    case 'blob':
      return (value: DuckDBBlobValue) => value.bytes
    case 'list': {
      const item = valueReader(type.item.type)
      return (value: DuckDBListValue) => value.items.map(item)
    }
    case 'struct': {
      const fields = Object.entries(type.fields).map(([name, field]) => [name, valueReader(field.type)] as const)
      return ({ entries }: DuckDBStructValue) =>
        Object.fromEntries(fields.map(([name, read]) => [name, read(entries[name] ?? null)]))
    }
    default:
      return (value) => value
  }
}
