import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** Runs SQL on the catalog file of a lake (or on another of its files). Only tests should do this. */
export async function sql(lake: string, text: string, file = 'catalog.ducklake'): Promise<Record<string, any>[]> {
  const instance = await DuckDBInstance.create(join(lake, file), { threads: '1' })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(text)
  const rows = reader.getRowObjectsJson()
  connection.closeSync()
  instance.closeSync()
  return rows
}
