import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { sqlName } from '../../lib/text/sql-quote.ts'

/**
 * Reads every row of a DuckDB file, so that DuckDB verifies the checksum of each block, and throws the error of DuckDB for a damaged one.
 * Returns the first value of the result of `query`.
 */
export async function readWhole(path: string, query = 'SELECT NULL'): Promise<DuckDBValue | undefined> {
  const instance = await DuckDBInstance.create(path, {
    access_mode: 'READ_ONLY',
    threads: '1',
    memory_limit: '128MB',
    autoinstall_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    try {
      const reader = await connection.runAndReadAll('SELECT schema_name, table_name FROM duckdb_tables()')
      for (const [schema, table] of reader.getRows())
        await connection.run(`SELECT max(hash(COLUMNS(*))) FROM ${sqlName(String(schema))}.${sqlName(String(table))}`)
      return (await connection.runAndReadAll(query)).getRows()[0]?.[0]
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}
