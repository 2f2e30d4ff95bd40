import { sqlName } from '../lib/text/sql-quote.ts'
import type { ColumnType } from './column.ts'

/** The DuckDB type of a column, as in `DECIMAL(20,0)`, `VARCHAR[]` or `STRUCT("a" BIGINT)`. */
export function duckdbType(type: ColumnType): string {
  switch (type.kind) {
    case 'text':
      return 'VARCHAR'
    case 'int64':
      return 'BIGINT'
    case 'double':
      return 'DOUBLE'
    case 'boolean':
      return 'BOOLEAN'
    case 'decimal':
      return `DECIMAL(${type.precision},0)`
    case 'timestamp':
      return 'TIMESTAMP WITH TIME ZONE'
    case 'blob':
      return 'BLOB'
    case 'list':
      return `${duckdbType(type.item.type)}[]`
    case 'struct': {
      const fields = Object.entries(type.fields).map(([name, field]) => `${sqlName(name)} ${duckdbType(field.type)}`)
      return `STRUCT(${fields.join(', ')})`
    }
  }
}
