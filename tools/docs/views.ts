import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { tables } from '../../schemas/index.ts'
import { addressActivityQuery } from '../../schemas/shared/address-activity.ts'
import {
  type DerivedView,
  derivedView,
  latestViews,
  shownColumns,
  type ViewColumn,
  type ViewColumns,
} from '../../src/define/index.ts'
import { withDuckDb } from '../../src/lib/duckdb.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { sqlName } from '../../src/lib/text.ts'
import { createScript, emptyLakeScripts } from '../../src/views/lake-scripts.ts'
import { namesIn } from '../../src/views/query.ts'

const folder = join(packageRoot(), 'schemas', 'views')

/** What the author of a view wrote: comments at the beginning of the file, up to an empty line, and one SELECT after them. */
type Written = {
  readonly name: string
  readonly comment: string
  readonly comments: ReadonlyMap<string, string>
  readonly query: string
}

/**
 * The declarations of the views in `schemas/views/*.sql`, each after the views that it reads: what its file says, and what DuckDB finds on a lake
 * without rows. A column without a comment has the one of the column of that name and type in the first table or view that the query reads.
 *
 * @param order The names in the order of the documentation; other views come after them.
 */
export async function declareViews(order: readonly string[]) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const written = files.map((file) =>
    parseView(file.slice(0, -'.sql'.length), readFileSync(join(folder, file), 'utf8')),
  )
  const rank = ({ name }: Written) => (order.includes(name) ? order.indexOf(name) : order.length)
  const waiting = written.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  const known = new Map<string, ViewColumns>(tables.map((table) => [table.name, shownColumns(table)]))
  for (const { name, columns } of latestViews(tables)) known.set(name, columns)
  const viewNames = new Set(waiting.map(({ name }) => name))

  return withDuckDb(':memory:', async (connection) => {
    // The ids of new columns are being written, and types do not depend on them.
    const withoutIds = tables.map((table) => ({ ...table, ids: null }))
    for (const script of await emptyLakeScripts({ tables: withoutIds, derived: latestViews(withoutIds) }))
      await connection.run(script)
    const reads = new Map<string, string[]>()
    for (const { name, query } of waiting) {
      const named = await namesIn(connection, query)
      reads.set(
        name,
        named.filter((table) => known.has(table) || viewNames.has(table)),
      )
    }
    const declared: Record<string, Omit<DerivedView, 'name'>> = {}
    while (waiting.length > 0) {
      const at = waiting.findIndex(({ name }) => reads.get(name)?.every((table) => known.has(table)))
      const [view] = waiting.splice(at, at < 0 ? 0 : 1)
      if (view === undefined) throw new Error(`Views read each other: ${waiting.map(({ name }) => name).join(', ')}.`)
      const dependsOn = reads.get(view.name) ?? []
      await connection.run(createScript(view.name, view.query.replace(/;$/, '')))
      const sources = dependsOn.map((name) => known.get(name) ?? {})
      const columns = await columnsOf(view, sources, connection)
      const { name, ...rest } = derivedView({ name: view.name, comment: view.comment, dependsOn, columns })
      // Views over this one see its date.
      await connection.run(
        (await emptyLakeScripts({ tables: [], derived: [{ name, ...rest, query: view.query }] })).join('\n'),
      )
      known.set(name, rest.columns)
      declared[name] = rest
    }
    return declared
  })
}

/** The columns that DuckDB finds in a view, with their comments. */
async function columnsOf(
  { name: view, comments }: Written,
  sources: readonly ViewColumns[],
  connection: DuckDBConnection,
): Promise<ViewColumns> {
  const found = await connection.runAndReadAll(`DESCRIBE ${sqlName(view)}`)
  const columns = found.getRows().map(([column, type]) => {
    // DuckDB quotes names of fields that need no quotes.
    const isSame = (source: ViewColumn | undefined) => unquoted(source?.type) === unquoted(String(type))
    const inherited = sources.map((source) => source[String(column)]).find(isSame)
    const comment = comments.get(String(column)) ?? inherited?.comment
    if (comment === undefined) throw new Error(`Column ${view}.${column} (${type}) needs a comment.`)
    return [String(column), { type: inherited?.type ?? String(type), comment }] as const
  })
  const names = columns.map(([column]) => column)
  for (const column of comments.keys())
    if (!names.includes(column)) throw new Error(`${view}.sql comments on ${column}, which is no column.`)
  return Object.fromEntries(columns) as ViewColumns
}

function unquoted(type: string | undefined): string | undefined {
  return type?.replaceAll('"', '')
}

/** Parses a file of a view: its comment, an empty comment line, `column: comment` for columns, an empty line, the query. */
function parseView(name: string, text: string): Written {
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, end).split('\n')
  if (end < 0 || !lines.every((line) => line.startsWith('--')))
    throw new Error(`${name}.sql must begin with comments and an empty line after them.`)
  const [head = '', columns = ''] = text.slice(0, end).split('\n--\n')
  const entries = columns === '' ? [] : unwrapped(columns).split(/\n(?=\w+: )/)
  const comments = entries.map((entry) => {
    const at = entry.indexOf(': ')
    return [entry.slice(0, at), entry.slice(at + 2)] as const
  })
  return {
    name,
    comment: unwrapped(head).replaceAll('\n', ' '),
    comments: new Map(comments),
    query: name === 'address_activity' ? addressActivityQuery(tables) : text.slice(end).trim(),
  }
}

/** The text of comment lines. Each line of the columns that begins with one space begins an entry. */
function unwrapped(lines: string): string {
  const [first = '', ...others] = lines.split('\n').map((line) => line.slice('-- '.length))
  return others.reduce((text, line) => `${text}${/^\w+: /.test(line) ? '\n' : ' '}${line.trim()}`, first)
}

/** Writes `schemas/views/views.json`, a line for each column. */
export async function writeViews(): Promise<void> {
  const path = join(folder, 'views.json')
  const order = Object.keys(JSON.parse(readFileSync(path, 'utf8')))
  const entries = (of: object) =>
    Object.entries(of).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  const views = Object.entries(await declareViews(order)).map(([name, { columns, ...view }]) => {
    const all = [...entries(view), `"columns": {\n      ${entries(columns).join(',\n      ')}\n    }`]
    return `  ${JSON.stringify(name)}: {\n    ${all.join(',\n    ')}\n  }`
  })
  writeFileSync(path, `{\n${views.join(',\n')}\n}\n`)
}
