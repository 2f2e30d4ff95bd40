import { join } from 'node:path'
import {
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api'

/** Rows of a query on `lake.duckdb` as decoders return them: without the column that views compute. */
export async function lakeRows(lake: string, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(join(lake, 'lake.duckdb'), { access_mode: 'READ_ONLY' })
  try {
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(sql)
    const names = reader.columnNames()
    const rows = reader
      .getRows()
      .map((row) => Object.fromEntries(row.map((value, column) => [names[column], plain(value)])))
      .map(({ block_date, ...stored }) => stored)
    connection.closeSync()
    return rows
  } finally {
    instance.closeSync()
  }
}

/** A table for `FROM` with its bytes, where the view shows an address of a transaction as text. */
export function storedRows(table: string): string {
  if (table !== 'p_transactions') return table
  return `(SELECT * REPLACE (unhex(manager_address[3:]) AS manager_address) FROM ${table})`
}

/** BIGINT as a number if that is exact, DECIMAL(n,0) and times (microseconds) as bigint, lists, structs and bytes unchanged. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (value instanceof DuckDBDecimalValue) return value.value
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBListValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, entry]) => [name, plain(entry)]))
  if (value instanceof DuckDBBlobValue) return new Uint8Array(value.bytes)
  return value
}
