import { type Column, type Columns, type ColumnType, fieldsOf, type Table } from '../../src/define/index.ts'
import { query } from './lake-run.ts'

/** A row as text, the same whether it comes from a decoder or out of a lake: every value exact, nulls told apart. */

function textOf(type: ColumnType, value: unknown): string {
  if (value === null) return 'null'
  switch (type.kind) {
    case 'blob':
      return Buffer.from(value as Uint8Array)
        .toString('hex')
        .toUpperCase()
    case 'list':
      return `[${(value as unknown[]).map((item) => textOf(type.item.type, item)).join(', ')}]`
    case 'struct': {
      const fields = value as Record<string, unknown>
      const entries = Object.entries<Column>(type.fields)
      return `{${entries.map(([name, field]) => `'${name}': ${textOf(field.type, fields[name])}`).join(', ')}}`
    }
    default:
      return String(value)
  }
}

/** The row of a decoder. */
export function rowText(table: Table, row: object): string {
  const values = row as Record<string, unknown>
  return Object.entries(table.columns as Columns)
    .map(([name, { type }]) => textOf(type, values[name]))
    .join('|')
}

function expression(name: string, { kind }: ColumnType): string {
  if (kind === 'blob') return `hex(${name})`
  return kind === 'timestamp' ? `epoch_us(${name})::VARCHAR` : `${name}::VARCHAR`
}

/** The rows of a table in a lake, by key. */
export async function lakeTexts(lake: string, table: Table): Promise<string[]> {
  const cells = fieldsOf(table).filter(({ path }) => !path.includes('.'))
  const text = cells.map(({ name, column }) => `coalesce(${expression(name, column.type)}, 'null')`).join(", '|', ")
  const rows = await query(lake, `select concat(${text}) as text from ${table.name} order by ${table.key.join(', ')}`)
  return rows.map((row) => String(row['text']))
}
