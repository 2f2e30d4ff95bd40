import {
  type DuckDBConnection,
  DuckDBListValue,
  type DuckDBResultReader,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api'
import { CatalogError } from '../errors.ts'
import { restoreHint } from './failure.ts'

export type Cell = string | number | bigint | boolean | null
/** A value of a prepared statement; a list of texts becomes `VARCHAR[]`. */
export type Parameter = Cell | readonly string[]
/** Integers arrive as numbers: every integer of the catalog counts files, rows, bytes or ids. */
export type Row = Record<string, any>

/** An open catalog: valid only inside the hold that made it. */
export type Session = {
  /** Begins a transaction that may write. */
  begin: () => Promise<void>
  rows: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
  run: (sql: string, parameters?: readonly Parameter[]) => Promise<void>
  /** Appends rows whose cells are integers, texts, booleans and nulls, in the order of the table's columns. */
  append: (schema: string, table: string, rows: readonly (readonly Cell[])[]) => Promise<void>
}

/** `firstSql` gives what the transaction about to begin must say first; null for nothing. */
export function createSession(connection: DuckDBConnection, firstSql: () => Promise<string | null>): Session {
  const run = async (sql: string, parameters: readonly Parameter[] = []) => {
    const values = parameters.map(bindable)
    const types = values.map((value) => (value instanceof DuckDBListValue ? LIST(VARCHAR) : undefined))
    return connection.runAndReadAll(sql, values, Object.fromEntries(types.map((type, index) => [index + 1, type])))
  }
  return {
    begin: async () => {
      const first = await firstSql()
      await run('BEGIN TRANSACTION')
      if (first !== null) await run(first)
    },
    rows: async (sql, parameters) => rowsOf(await run(sql, parameters)),
    run: async (sql, parameters) => void (await run(sql, parameters)),
    append: async (schema, table, rows) => {
      if (rows.length === 0) return
      const appender = await connection.createAppender(table, schema, null)
      for (const row of rows) {
        for (const cell of row) {
          if (cell === null) appender.appendNull()
          else if (typeof cell === 'string') appender.appendVarchar(cell)
          else if (typeof cell === 'boolean') appender.appendBoolean(cell)
          else appender.appendBigInt(BigInt(cell))
        }
        appender.endRow()
      }
      appender.closeSync()
    },
  }
}

/** Runs `work` in one transaction; any error rolls it back. */
export async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.begin()
  try {
    const result = await work()
    await session.run('COMMIT')
    return result
  } catch (error) {
    // After some failures (a full disk) DuckDB has rolled back by itself; the first error is the one to tell.
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

function bindable(value: Parameter) {
  return typeof value === 'object' && value !== null ? listValue([...value]) : value
}

/** By columns: several times faster than by rows, which counts where there are tens of thousands of files. */
function rowsOf(reader: DuckDBResultReader): Row[] {
  const rows: Row[] = Array.from({ length: reader.currentRowCount }, () => ({}))
  const names = reader.columnNames()
  reader.getColumnsJS().forEach((values, column) => {
    const name = names[column] ?? ''
    values.forEach((value, row) => {
      const cells = rows[row]
      if (cells !== undefined) cells[name] = typeof value === 'bigint' ? safeNumber(value, name) : value
    })
  })
  return rows
}

function safeNumber(value: bigint, column: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new CatalogError(`The catalog holds a number that is out of range in ${column}.`, {
      code: 'catalog.unreadable',
      details: { value },
      hint: restoreHint,
    })
  return number
}
