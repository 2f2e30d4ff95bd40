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

/** Why a text is not one SELECT. */
type NotOneSelect = { readonly code: 'query.failed' | 'query.empty' | 'query.not-select'; readonly reason: string }

/**
 * Why a text is not one SELECT; null when it is one. Uses DuckDB's parser alone: preparing a statement may already have effects, such as the
 * folder that an EXPORT writes to.
 */
export async function whyNotOneSelect(connection: DuckDBConnection, sql: string): Promise<NotOneSelect | null> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const parsed = JSON.parse(String(reader.getRows()[0]?.[0])) as Parsed
  if (parsed.error && parsed.error_type === 'parser')
    return { code: 'query.failed', reason: `Parser Error: ${parsed.error_message}` }
  if (parsed.error)
    return { code: 'query.not-select', reason: 'it is another statement, such as COPY, ATTACH, PRAGMA or SET' }
  const { length } = parsed.statements
  if (length === 0) return { code: 'query.empty', reason: 'it is empty' }
  return length === 1 ? null : { code: 'query.not-select', reason: `there are ${length} statements` }
}

async function mustBeOneSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const mistake = await whyNotOneSelect(connection, sql)
  if (mistake === null) return
  const { code, reason } = mistake
  if (code === 'query.empty') throw new ConfigError('The query is empty.', { code })
  throw new ConfigError(code === 'query.failed' ? reason : `The query must be one SELECT, but ${reason}.`, { code })
}
