import { cellTaker } from '../../codec/generated-code.ts'
import { type Field, fieldsOf, type Table } from '../define/index.ts'
import { columnBuilder } from './column-builder.ts'
import { refusedRow } from './refusal.ts'
import type { ByteCount, ColumnBuilder } from './values.ts'

export type Row = Readonly<Record<string, unknown>>

/** The columns of a table, to which the batcher adds rows. */
export type RowColumns = {
  /**
   * Takes a row, which must not change any more. It copies bytes in the row at once, because their memory is reused. Throws `SchemaError`
   * that names the column and the row's key for a value that a column cannot hold, at the latest in `settled`.
   */
  append(row: Row): void
  rows(): number
  /** Bytes that the columns hold, without the few waiting rows. */
  bytes(): number
  /** The columns with all rows, including those that were waiting. */
  settled(): readonly ColumnBuilder[]
  /** Forgets the rows and keeps the memory. */
  clear(): void
}

/**
 * At most this many rows wait for each other. A column then takes its values from all of them at once, which costs half as much as one by
 * one.
 */
const mostWaiting = 64

/** `waitingBytes`: waiting rows hold about this many bytes, so fewer long rows wait for each other. */
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

/** Puts rows into columns: reads the cells of all columns row by row, then gives each column its cells. */
function createPut(columns: readonly Column[]): (rows: readonly Row[]) => void {
  const take = cellTaker(columns.map(({ name }) => name))
  // These arrays keep the same kind for the engine, whatever they hold.
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

/** Runs a function that puts rows into columns. A `SchemaError` from it names the first row that the table cannot hold. */
function naming(table: Table, fields: readonly Field[], rows: readonly Row[], put: () => void): void {
  try {
    put()
  } catch (error) {
    refuse(table, fields, rows)
    throw error
  }
}

/** Puts the rows into other columns one by one, and throws for the first row that they cannot hold. */
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
