import {
  type DuckDBConnection,
  DuckDBListValue,
  type DuckDBResultReader,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { safeNumber } from '../session/safe-number.ts'
import type { Dialect, Parameter, Row, Session } from '../session/session.ts'

/** `firstSql` gives what the transaction about to begin must say first; null for nothing. */
export function createSession(connection: DuckDBConnection, firstSql: () => Promise<string | null>): Session {
  /** What is asked for together comes one after another. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  const run = async (sql: string, parameters: readonly Parameter[] = []) => {
    const values = parameters.map(bindable)
    // An empty list does not say what it is a list of.
    const types = values.map((value) => (value instanceof DuckDBListValue ? LIST(VARCHAR) : undefined))
    return inTurn(() => connection.runAndReadAll(sql, byNumber(values), byNumber(types)))
  }
  return {
    begin: async () => {
      const first = await firstSql()
      await run('BEGIN TRANSACTION')
      if (first !== null) await run(first)
    },
    rows: async (sql, parameters) => rowsOf(await run(sql, parameters)),
    run: async (sql, parameters) => void (await run(sql, parameters)),
    commitLast: async () => void (await run('COMMIT')),
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
    fold: async () => void (await run('CHECKPOINT')),
    readThrough: async () => {
      const tables = rowsOf(
        await run(
          'SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal',
        ),
      )
      for (const { schema_name: schema, table_name: name } of tables)
        await run(`SELECT bit_xor(hash(t)) FROM ${sqlName(schema)}.${sqlName(name)} t`)
    },
    dialect,
  }
}

const dialect: Dialect = {
  tryCast: (sql, type) => `TRY_CAST(${sql} AS ${type})`,
  microseconds: (sql) => `epoch_us(${sql})`,
  columns: (declared) => declared,
}

/** Types are read only where values have names: `1` of `$1`. */
function byNumber<T>(list: readonly T[]): Record<string, T> {
  return Object.fromEntries(list.map((value, index) => [String(index + 1), value]))
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
