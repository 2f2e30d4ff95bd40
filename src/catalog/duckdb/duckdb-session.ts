import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBListValue,
  type DuckDBResultReader,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api'
import { sqlName } from '../../lib/text.ts'
import { type Cell, type Dialect, type Parameter, type Row, type Session, safeNumber } from '../session.ts'

/** `firstSql` returns the first statement of the next transaction; null if it needs none. */
export function createSession(connection: DuckDBConnection, firstSql: () => Promise<string | null>): Session {
  /** Concurrent statements run one after another. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  const run = async (sql: string, parameters: readonly Parameter[] = []) => {
    const values = parameters.map(bindable)
    // DuckDB cannot infer the item type of an empty list.
    const types = values.map((value) => (value instanceof DuckDBListValue ? LIST(VARCHAR) : undefined))
    return inTurn(() => connection.runAndReadAll(sql, byNumber(values), byNumber(types)))
  }
  return {
    begin: async () => {
      const first = await firstSql()
      await run('BEGIN TRANSACTION')
      if (first !== null) await run(first)
    },
    rows: async <T>(sql: string, parameters?: readonly Parameter[]) => rowsOf(await run(sql, parameters)) as T[],
    run: async (sql, parameters) => void (await run(sql, parameters)),
    commitLast: async () => void (await run('COMMIT')),
    append: async (schema, table, rows) => {
      if (rows.length === 0) return
      const appender = await connection.createAppender(table, schema, null)
      for (const row of rows) {
        for (const cell of row) appendCell(appender, cell)
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

function appendCell(appender: DuckDBAppender, cell: Cell): void {
  if (cell === null) appender.appendNull()
  else if (typeof cell === 'string') appender.appendVarchar(cell)
  else if (typeof cell === 'boolean') appender.appendBoolean(cell)
  else appender.appendBigInt(BigInt(cell))
}

const dialect: Dialect = {
  tryCast: (sql, type) => `TRY_CAST(${sql} AS ${type})`,
  microseconds: (sql) => `epoch_us(${sql})`,
  columns: (declared) => declared,
}

/** Values by parameter name: `1` for `$1`. DuckDB reads types of parameters only by name. */
function byNumber<T>(list: readonly T[]): Record<string, T> {
  return Object.fromEntries(list.map((value, index) => [String(index + 1), value]))
}

function bindable(value: Parameter) {
  return typeof value === 'object' && value !== null ? listValue([...value]) : value
}

/** Reads by columns, which is several times faster than by rows. This matters for tens of thousands of files. */
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
