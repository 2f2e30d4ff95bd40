import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

let connection: Promise<DuckDBConnection> | undefined

async function connect(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  return instance.connect()
}

/** The rows of a query, with values as DuckDB returns them. */
export async function query(sql: string): Promise<Record<string, any>[]> {
  connection ??= connect()
  return (await (await connection).runAndReadAll(sql)).getRowObjects()
}
