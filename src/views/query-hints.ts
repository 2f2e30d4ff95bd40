import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { readViews } from './mentioned-views.ts'

/** What makes a query find nothing without an error. */
export type QueryHints = {
  /** Tables that it reads, directly or through views, and that no run has read anything for. */
  readonly unfilled: readonly string[]
  /** Whether it compares bytes with text. Null: it does not; otherwise the text, empty where it is no constant. */
  readonly textAsBytes: string | null
}

const none: QueryHints = { unfilled: [], textAsBytes: null }

/** Looks at a statement without running it. A statement that is not understood gets no hints. */
export async function queryHints(instance: DuckDBInstance, sql: string): Promise<QueryHints> {
  const connection = await instance.connect()
  try {
    return {
      unfilled: await unfilledTables(connection, sql),
      textAsBytes: await textComparedWithBytes(connection, sql),
    }
  } catch {
    return none
  } finally {
    connection.closeSync()
  }
}

async function unfilledTables(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const views = await readViews(connection)
  const seen = new Set<string>()
  const look = async (text: string): Promise<void> => {
    for (const name of await namesIn(connection, text)) {
      const view = views.get(name)
      if (view === undefined || seen.has(name)) continue
      seen.add(name)
      if (!isFilled(view)) await look(view.replace(/^CREATE VIEW .*? AS /s, ''))
    }
  }
  await look(sql)
  const empty = [...seen].filter((name) => name !== 'coverage' && isEmpty(views.get(name) ?? ''))
  if (empty.length === 0) return []
  const reader = await connection.runAndReadAll('SELECT DISTINCT table_name FROM coverage')
  const read = new Set(reader.getRows().map(([name]) => String(name)))
  // Views of an earlier snapshot do not show what was read by then.
  if (read.size === 0 && [...views.values()].some(isFilled)) return []
  return empty.filter((name) => !read.has(name))
}

function isFilled(view: string): boolean {
  return view.includes('read_parquet(')
}

/** See `emptyQuery`. */
function isEmpty(view: string): boolean {
  return !isFilled(view) && /CAST\(NULL AS [\s\S]*WHERE \(?CAST\('f' AS BOOLEAN\)/.test(view)
}

type Node = { readonly [key: string]: unknown }

/** The tables and views that a SELECT names; names of its own subqueries are left out. */
async function namesIn(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const names = new Set<string>()
  const own = new Set<string>()
  JSON.parse(String(reader.getRows()[0]?.[0]), (key, value: unknown) => {
    if (key === 'cte_map')
      for (const { key: name } of (value as { map: Node[] }).map) own.add(String(name).toLowerCase())
    const node = value as Node | null
    if (node?.['type'] === 'BASE_TABLE' && isHere(node)) names.add(String(node['table_name']).toLowerCase())
    return value
  })
  return [...names].filter((name) => !own.has(name))
}

/** Whether a table is one of the opened views, and not of another database that the query attached. */
function isHere({ schema_name: schema, catalog_name: catalog }: Node): boolean {
  return ['', 'lake'].includes(String(catalog)) && ['', 'main', 'lake'].includes(String(schema))
}

/** DuckDB casts the text to bytes, which are then those of its letters. The plan shows it. */
async function textComparedWithBytes(connection: DuckDBConnection, sql: string): Promise<string | null> {
  if (!/'0x|hex\(|\\x|\bjoin\b/i.test(sql)) return null
  await connection.run("SET explain_output = 'all'")
  const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`)
  const plan = String(reader.getRows()[0]?.[1])
  const constant = /CAST\('(0x[0-9a-f]*)' AS BLOB\)/i.exec(plan)?.[1]
  if (constant !== undefined) return constant
  const isCompared = /CAST\([\w.]+ AS BLOB\) = |(?: = |IN \()CAST\([\w.]+ AS BLOB\)/.test(plan)
  return isCompared && !/blob/i.test(sql) ? '' : null
}
