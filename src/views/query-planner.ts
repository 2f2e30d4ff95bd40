import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { type Columns, hasBlockDate, isShownAsText, type Table } from '../define/index.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { timeBounds } from './date-bounds.ts'
import { addressMacro } from './lake-scripts.ts'
import { mentionedViews, readViews } from './mentioned-views.ts'
import { readScans, type Scan } from './scan-plan.ts'
import { whyNotOneSelect } from './select.ts'
import { emptyTableQuery } from './table-view.ts'

/** Finds out what queries on the views of a lake read, without running them. */
export type QueryPlanner = {
  /** The scans of one SELECT. Null for another statement, and for a plan that is not fully understood. */
  readonly scansOf: (sql: string) => Promise<Scan[] | null>
  /** Every table that a text may read: those that it names, and those of the views that it names. */
  readonly mentioned: (text: string) => string[]
  readonly close: () => void
}

/** The optimizers that use the query alone. All others may look at rows, and the tables here have none. */
const optimizers = [
  'expression_rewriter',
  'filter_pullup',
  'filter_pushdown',
  'cte_filter_pusher',
  'cte_inlining',
  'regex_range',
  'in_clause',
  'deliminator',
]

/** `views` is a connection to the views. `tables` are those that have files; the planner creates each of them as an empty table. */
export async function openQueryPlanner(views: DuckDBConnection, tables: readonly Table[]): Promise<QueryPlanner> {
  const queries = await readViews(views)
  const names = tables.map(({ name }) => name)
  const dated = new Set(tables.filter(hasBlockDate).map(({ name }) => name))
  /** The catalog has statistics of the bytes, not of the text. */
  const texts = new Set(tables.flatMap(textColumns))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', autoinstall_known_extensions: 'false' })
  const connection = await instance.connect()
  const close = (): void => {
    connection.closeSync()
    instance.closeSync()
  }
  try {
    await connection.run("SET TimeZone = 'UTC'")
    await connection.run(addressMacro)
    for (const table of tables) await connection.run(`CREATE TABLE ${sqlName(table.name)} AS ${emptyTableQuery(table)}`)
    await makeViews(
      connection,
      [...queries].filter(([name]) => !names.includes(name)).map(([, sql]) => sql),
    )
    const all = await connection.runAndReadAll('SELECT name FROM duckdb_optimizers()')
    const off = all.getRows().flatMap(([name]) => (optimizers.includes(String(name)) ? [] : [String(name)]))
    await connection.run(`SET disabled_optimizers = '${off.join(',')}'`)
  } catch (error) {
    close()
    throw error
  }
  return {
    async scansOf(sql) {
      try {
        if ((await whyNotOneSelect(connection, sql)) !== null) return null
        const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`)
        const scans = readScans(JSON.parse(String(reader.getRows()[0]?.[1])))
        if (!scans?.every(({ table }) => names.includes(table))) return null
        return scans.map(({ table, bounds }) => {
          const known = bounds.filter(({ column }) => !texts.has(`${table}.${column}`))
          return { table, bounds: dated.has(table) ? known.flatMap(timeBounds) : known }
        })
      } catch {
        // The query itself will report what is wrong with it.
        return null
      }
    },
    mentioned: (text) => {
      const named = mentionedViews(text, queries, names)
      return names.filter((name) => named.has(name))
    },
    close,
  }
}

function textColumns({ name, columns }: Table): string[] {
  return Object.entries(columns as Columns).flatMap(([column, declared]) =>
    isShownAsText(column, declared) ? [`${name}.${column}`] : [],
  )
}

/** Creates each view after the views that it reads. The scripts do not say which these are. */
async function makeViews(connection: DuckDBConnection, scripts: readonly string[]): Promise<void> {
  let left = scripts
  while (left.length > 0) {
    const failed: string[] = []
    let failure: unknown
    for (const script of left) {
      try {
        await connection.run(script)
      } catch (error) {
        failure = error
        failed.push(script)
      }
    }
    if (failed.length === left.length) throw failure
    left = failed
  }
}
