import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

let connection: Promise<DuckDBConnection> | undefined

async function connect(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  return instance.connect()
}

/** The rows of a query, each value as DuckDB gives it. */
export async function query(sql: string): Promise<Record<string, any>[]> {
  connection ??= connect()
  return (await (await connection).runAndReadAll(sql)).getRowObjects()
}
