import { type Field, fieldsOf, type Table } from '../define/index.ts'
import { cellTaker } from '../lib/generated-code.ts'
import { columnBuilder } from './column-builder.ts'
import { refusedRow } from './refusal.ts'
import type { ByteCount, ColumnBuilder } from './values.ts'

export type Row = Readonly<Record<string, unknown>>

/** The columns of a table that rows are put into. */
export type RowColumns = {
  /**
   * Takes a row, which must not change any more; bytes in it are copied at once, since their memory is used again. Throws `SchemaError` that
   * names the column and the row's key for what a column does not hold, at the latest in `settled`.
   */
  append(row: Row): void
  rows(): number
  /** Bytes that the columns hold, without the few rows that wait. */
  bytes(): number
  /** The columns with all rows. */
  settled(): readonly ColumnBuilder[]
  /** Forgets the rows and keeps the memory. */
  clear(): void
}

/** So many rows wait for each other, at most: a column then takes its values of all of them, which costs half of one by one. */
const mostWaiting = 64

/** `waitingBytes`: of long rows fewer wait for each other, about so many bytes of them. */
export function rowColumns(table: Table, waitingBytes: number): RowColumns {
  const count: ByteCount = { bytes: 0 }
  const fields = fieldsOf(table)
  const builders = fields.map((field) => columnBuilder(table.name, field, count))
  const columns = fields.map(({ name }, at): Column => ({ name, builder: builders[at]! }))
  const ofBytes = columns.filter((_, at) => holdsBytes(fields[at]!))
  const others = columns.filter((column) => !ofBytes.includes(column))
  const putBytes = createPut(ofBytes)
  const putOthers = createPut(others)
  let waiting: Row[] = []
  let filled = 0
  let most = 1

  const putWaiting = (): void => {
    if (waiting.length === 0) return
    const rows = waiting
    waiting = []
    naming(table, fields, rows, () => putOthers(rows))
    filled += rows.length
    most = Math.max(1, Math.min(mostWaiting, Math.floor((waitingBytes * filled) / count.bytes)))
  }

  return {
    append(row) {
      if (ofBytes.length > 0) naming(table, fields, [row], () => putBytes([row]))
      waiting.push(row)
      if (waiting.length >= most) putWaiting()
    },
    rows: () => filled + waiting.length,
    bytes: () => count.bytes,
    settled() {
      putWaiting()
      return builders
    },
    clear() {
      for (const builder of builders) builder.clear()
      count.bytes = 0
      filled = 0
    },
  }
}

type Column = { readonly name: string; readonly builder: ColumnBuilder }

/** Puts rows into columns: takes the cells of all columns row by row, and gives each column its own. */
function createPut(columns: readonly Column[]): (rows: readonly Row[]) => void {
  const take = cellTaker(columns.map(({ name }) => name))
  // Arrays of the same kind, whatever they hold.
  const cells = columns.map(() => new Array<unknown>(mostWaiting).fill(undefined))
  return (rows) => {
    const { length } = rows
    take(rows, length, cells)
    for (let at = 0; at < columns.length; at++) columns[at]!.builder.append(cells[at]!, length)
  }
}

function holdsBytes({ column, children }: Field): boolean {
  return column.type.kind === 'blob' || children.some(holdsBytes)
}

/** Runs what puts rows into columns; a `SchemaError` from it names the first of them that the table does not hold. */
function naming(table: Table, fields: readonly Field[], rows: readonly Row[], put: () => void): void {
  try {
    put()
  } catch (error) {
    refuse(table, fields, rows)
    throw error
  }
}

/** Puts the rows into other columns one by one, and throws for the first that they do not hold. */
function refuse(table: Table, fields: readonly Field[], rows: readonly Row[]): void {
  const columns = fields.map((field): Column => {
    return { name: field.name, builder: columnBuilder(table.name, field, { bytes: 0 }) }
  })
  const put = createPut(columns)
  for (const row of rows)
    try {
      put([row])
    } catch (error) {
      throw refusedRow(table, row, error)
    }
}
