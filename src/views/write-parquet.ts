import type { DuckDBConnection } from '@duckdb/node-api'
import { ConfigError } from '../errors.ts'
import { sqlName, sqlText } from '../lib/text/sql-quote.ts'

/**
 * Writes the answer of one SELECT to a Parquet file. Parquet has no integers of 128 bits, and DuckDB would write them as DOUBLE: they become
 * DECIMAL(38,0), and a longer one ends the query with an error.
 *
 * @throws ConfigError `query.parquet` for other statements, and where such integers are within lists, structs or maps.
 */
export async function writeParquet(connection: DuckDBConnection, sql: string, path: string): Promise<void> {
  const query = sql.trim().replace(/;\s*$/, '')
  const columns = await columnsOf(connection, query)
  const cells = columns.map(({ name, type }, at) => {
    if (type === 'HUGEINT' || type === 'UHUGEINT') return `CAST(c${at} AS DECIMAL(38,0)) AS ${sqlName(name)}`
    if (/\bU?HUGEINT\b/.test(type)) throw roundedColumn(name, type)
    return `c${at} AS ${sqlName(name)}`
  })
  const given = columns.map((_, at) => `c${at}`).join(', ')
  // A comment may end the query: the bracket stands on a line of its own.
  await connection.run(
    `COPY (SELECT ${cells.join(', ')} FROM (${query}\n) AS answer(${given})) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`,
  )
}

async function columnsOf(
  connection: DuckDBConnection,
  query: string,
): Promise<readonly { readonly name: string; readonly type: string }[]> {
  const statements = await connection.extractStatements(query)
  if (statements.count !== 1)
    throw new ConfigError('A Parquet file holds the answer of one statement.', {
      code: 'query.parquet',
      hint: 'Give a single SELECT.',
    })
  const statement = await statements.prepare(0)
  try {
    const names = Array.from({ length: statement.columnCount }, (_, at) => statement.columnName(at))
    return names.map((name, at) => ({ name, type: String(statement.columnType(at)) }))
  } finally {
    statement.destroySync()
  }
}

function roundedColumn(name: string, type: string): ConfigError {
  return new ConfigError(`The column ${JSON.stringify(name)} has the type ${type}, which Parquet would round.`, {
    code: 'query.parquet',
    hint: `Cast its integers to text or to DECIMAL(38,0) in the query.`,
  })
}
