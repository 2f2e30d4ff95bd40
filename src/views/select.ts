import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ConfigError } from '../errors.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import { viewsFolder } from './published-views.ts'
import { type QueryAnswer, queryLake, type Source } from './query.ts'

/**
 * Runs one SELECT on the views of a lake for a program that only needs its rows. It refuses a second statement and other kinds of
 * statements. The connection can change nothing, and can read only the files of the lake. Throws `ConfigError` with the reason, and the
 * reason of `stop` when that ended the query.
 */
export async function selectFromLake(
  lakeDir: string,
  sql: string,
  source: Source = {},
  stop?: AbortSignal | undefined,
): Promise<QueryAnswer> {
  const here = resolve(lakeDir)
  // The views contain the path that the lake had when they were written, which may have been a link.
  const folders = [
    here,
    await realpath(here).catch(() => null),
    await viewsFolder(lakeDir),
    source.remote?.folder ?? null,
  ]
  const confine = async (connection: DuckDBConnection): Promise<void> => {
    await mustBeOneSelect(connection, sql)
    await readOnlyFrom(
      connection,
      folders.filter((folder) => folder !== null),
    )
  }
  return queryLake(lakeDir, sql, { ...source, confine, stop })
}

async function readOnlyFrom(connection: DuckDBConnection, folders: readonly string[]): Promise<void> {
  const settings = [
    `allowed_directories = [${[...new Set(folders)].map(sqlText)}]`,
    'enable_external_access = false',
    'autoload_known_extensions = false',
    'lock_configuration = true',
  ]
  for (const setting of settings) await connection.run(`SET ${setting}`)
}

type Parsed =
  | { readonly error: false; readonly statements: readonly unknown[] }
  | { readonly error: true; readonly error_type: string; readonly error_message: string }

/** Uses the parser alone: preparing a statement may already have effects, such as the folder that an EXPORT writes to. */
async function mustBeOneSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const parsed = JSON.parse(String(reader.getRows()[0]?.[0])) as Parsed
  if (parsed.error && parsed.error_type === 'parser')
    throw new ConfigError(`Parser Error: ${parsed.error_message}`, { code: 'query.failed' })
  if (parsed.error) throw notOneSelect('it is another statement, such as COPY, ATTACH, PRAGMA or SET')
  if (parsed.statements.length === 0) throw new ConfigError('The query is empty.', { code: 'query.empty' })
  if (parsed.statements.length > 1) throw notOneSelect(`there are ${parsed.statements.length} statements`)
}

function notOneSelect(why: string): ConfigError {
  return new ConfigError(`The query must be one SELECT, but ${why}.`, { code: 'query.not-select' })
}
