import { readFile } from 'node:fs/promises'
import { join, resolve, win32 } from 'node:path'
import {
  blockDate,
  type DerivedView,
  emptyQuery,
  parquetQuery,
  shownColumns,
  shownQuery,
  type Table,
  utcDate,
} from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { packageRoot, packageVersion } from '../lib/package.ts'
import { parseLocationUri, sqlName, sqlText } from '../lib/text.ts'
import type { LakeSnapshot, Loss, ReadRange } from '../model.ts'
import type { Store } from '../store/store.ts'

/** The schemes of URLs that DuckDB and its own extensions read. */
const schemes = ['http', 'https', 's3', 'gs', 'gcs', 'r2', 'az', 'azure', 'abfss', 'hf']

/**
 * Where readers find the lake: an absolute path, also one of another machine, or a URL that DuckDB reads. Null for the folder of the lake
 * itself. Throws `ConfigError` `config.location`.
 */
export function parseViewsLocation(text: string, lakeDir: string): string | null {
  if (win32.isAbsolute(text)) return resolve(text) === resolve(lakeDir) ? null : text.replace(/(?<=.)[\\/]+$/, '')
  const location = parseLocationUri(text)
  if (schemes.includes(location.slice(0, location.indexOf(':')).toLowerCase())) return location
  throw new ConfigError(`DuckDB does not read URLs such as ${location}.`, {
    code: 'config.location',
    details: { 'DuckDB reads': schemes.map((scheme) => `${scheme}://`).join(', ') },
    hint: 'Give a folder as an absolute path, or one of these URLs.',
  })
}

/** The address of a file of the lake for readers. Its path is relative to the lake; an HTTP server decodes it. */
export function addressAt(location: string, path: string): string {
  return `${location}/${/^https?:/i.test(location) ? path.replaceAll('%', '%25') : path}`
}

/** The SELECT of a view, from its declaration or from its file. */
export async function readViewQuery({ name, query, dateOf }: DerivedView): Promise<string> {
  const file = join(packageRoot(), 'schemas', 'views', `${name}.sql`)
  // The comments of a file, which end with an empty line, say what `views.json` has.
  const select = (query ?? (await readFile(file, 'utf8')).replace(/^[\s\S]*?\n\n/, '')).trim()
  return dateOf === undefined
    ? select
    : `SELECT *, ${utcDate(dateOf)} AS ${blockDate} FROM (\n${select.replace(/;$/, '')}\n)`
}

/** The statements that create a view. Replacing a view drops its comments, so they follow every time. */
function viewScript(view: {
  readonly name: string
  readonly query: string
  readonly comment: string
  readonly columns: Readonly<Record<string, { readonly comment: string }>>
}): string {
  const name = sqlName(view.name)
  const columns = Object.entries(view.columns).map(
    ([column, { comment }]) => `COMMENT ON COLUMN ${name}.${sqlName(column)} IS ${sqlText(comment)};`,
  )
  return [createScript(view.name, view.query), `COMMENT ON VIEW ${name} IS ${sqlText(view.comment)};`, ...columns].join(
    '\n',
  )
}

/** The statement that creates a view, without comments. */
export function createScript(name: string, query: string): string {
  return `CREATE OR REPLACE VIEW ${sqlName(name)} AS\n${query};`
}

/** A Parquet file of a table: its path relative to the lake, and its number of rows. */
type TableFile = { readonly path: string; readonly rows: number }

/**
 * The script of a table's view. It lists the files one by one, by their addresses. DuckDB finds the columns by field id; a column that an
 * older file does not have reads as null. Without files the view is empty, with the same types.
 */
export function tableViewScript(table: Table, store: Pick<Store, 'address'>, files: readonly TableFile[]): string {
  if (files.length === 0) return commented(table, emptyTableQuery(table))
  const paths = files.map(({ path }) => store.address(path))
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  return commented(table, shownQuery(table, parquetQuery(table, paths, rows)))
}

/**
 * Creates views over files that cannot be read here, such as the files of a bucket. A macro replaces DuckDB's Parquet reader and gives the
 * columns. The macro ends with the connection, and the view then reads the files.
 */
export function unreachedScript(table: Table, script: string): string {
  return `CREATE OR REPLACE TEMP MACRO read_parquet(paths, schema := NULL, hive_partitioning := NULL, explicit_cardinality := NULL)
    AS TABLE ${emptyQuery(table)};
${script}`
}

function commented(table: Table, query: string): string {
  const comment = `${table.comment} Key: ${table.key.join(', ')}.`
  return viewScript({ name: table.name, query, comment, columns: shownColumns(table) })
}

/** The columns of a table's view, without rows. */
export function emptyTableQuery(table: Table): string {
  return shownQuery(table, `(\n${emptyQuery(table)}\n)`)
}

/** What `lake_tables` says of a table. */
type ShownTable = {
  readonly name: string
  readonly rows: number
  /** The newest time of a row, in microseconds since 1970 UTC. */
  readonly newestMicros?: bigint | undefined
  /** What streams have read for it; undefined where that is not known. */
  readonly ranges?: readonly ReadRange[]
}

/** The query of the view `lake_tables` that shows at least one table. */
export function lakeTablesQuery(tables: readonly ShownTable[]): string {
  const rows = tables.map(({ name, rows, newestMicros, ranges = [] }) => {
    const units = new Set(ranges.map(({ unit }) => unit))
    const slices = units.size === 1 ? ranges.flatMap(({ slice }) => slice ?? []) : []
    const jobs = [...new Set(ranges.flatMap(({ pipeline }) => pipeline ?? []))].sort()
    const values = [
      sqlText(name),
      String(rows),
      units.size === 1 ? sqlText([...units].join()) : 'NULL',
      slices.length === 0 ? 'NULL' : String(Math.min(...slices.map(({ from }) => from))),
      slices.length === 0 ? 'NULL' : String(Math.max(...slices.map(({ to }) => to))),
      newestMicros === undefined ? 'NULL' : `make_timestamptz(${newestMicros})`,
      jobs.length === 0 ? 'NULL' : `[${jobs.map(sqlText).join(', ')}]`,
    ]
    return `  (${values.join(', ')})`
  })
  return `SELECT
  table_name,
  row_count::BIGINT AS row_count,
  unit::VARCHAR AS unit,
  slice_from::BIGINT AS slice_from,
  slice_to::BIGINT AS slice_to,
  newest::TIMESTAMPTZ AS newest,
  jobs::VARCHAR[] AS jobs
FROM (VALUES
${rows.join(',\n')}
) AS listed(table_name, row_count, unit, slice_from, slice_to, newest, jobs)`
}

/**
 * The query of the view `coverage` that shows at least one range. All ranges are one text, because for a list of rows DuckDB takes 9 KB per
 * row and 100 times as long to answer a query: a lake may have ranges of many thousand wallets.
 */
export function coverageQuery(ranges: readonly ReadRange[]): string {
  const rows = ranges.map(fieldsOf)
  const [field, line] = separatorsFor(rows)
  return `SELECT
  part[1] AS network,
  part[2] AS stream,
  part[3] AS table_name,
  part[4] AS unit,
  nullif(part[5], '')::BIGINT AS slice_from,
  nullif(part[6], '')::BIGINT AS slice_to,
  part[7]::BIGINT AS row_count,
  make_timestamptz(nullif(part[8], '')::BIGINT) AS committed_at
FROM (
  SELECT string_split(line, chr(${field.charCodeAt(0)})) AS part
  FROM (SELECT unnest(string_split(${sqlText(rows.map((row) => row.join(field)).join(line))}, chr(${line.charCodeAt(0)}))) AS line)
)`
}

function fieldsOf({ network, stream, table, unit, slice, rows, committedMicros }: ReadRange): string[] {
  const numbers = [slice?.from, slice?.to, rows, committedMicros]
  return [network, stream, table, unit, ...numbers.map((value) => String(value ?? ''))]
}

/** Control characters that no text has. Values of jobs in the name of a stream may have some. */
function separatorsFor(rows: readonly (readonly string[])[]): [field: string, line: string] {
  const isFree = (separator: string) => !rows.some((row) => row.some((text) => text.includes(separator)))
  const [field = '\t', line = '\n'] = ['\t', '\n', '\x1f', '\x1e', '\x1d', '\x1c', '\x07', '\x06'].filter(isFree)
  return [field, line]
}

/** Views of the latest versions leave out rows that may not be the latest version: no row is better than an outdated one. */
export function withoutUncertain(derived: readonly DerivedView[], uncertain: readonly Loss[]): readonly DerivedView[] {
  if (uncertain.length === 0) return derived
  return derived.map((view) => {
    const own = uncertain.filter(({ table }) => view.name === `${table}_latest`)
    if (own.length === 0 || view.query === undefined) return view
    const conditions = own.map(({ network, observedTo }) => {
      const time = `epoch_us(observed_at) <= ${observedTo}`
      return network === null ? `NOT ${time}` : `NOT (network = ${sqlText(network)} AND ${time})`
    })
    return {
      ...view,
      query: `SELECT * FROM (\n${view.query}\n)\nWHERE ${conditions.join('\n  AND ')}`,
    }
  })
}

export type Declarations = { readonly tables: readonly Table[]; readonly derived: readonly DerivedView[] }

export type LakeViews = Declarations & {
  readonly lakeDir: string
  /** The store with the files of the tables. */
  readonly store: Store
  /** Where readers find the lake; null: where its files are. */
  readonly location?: string | null
  /** The files of each table at a snapshot. A table that is not listed has no files. */
  readonly files: {
    readonly snapshot: LakeSnapshot
    readonly tables: readonly { readonly name: string; readonly files: readonly TableFile[] }[]
  }
  /** Built-in views, with the queries that this lake needs. */
  readonly filledViews?: readonly DerivedView[]
}

/** The scripts of `lake.duckdb` and `views.sql`, one for each view. */
export async function lakeScripts(views: LakeViews) {
  const { store, location = null, files, tables, filledViews = [] } = views
  const derived = views.derived.map((view) => filledViews.find(({ name }) => name === view.name) ?? view)
  const addresses = location === null ? store : { address: (path: string) => addressAt(location, path) }
  const isReached = location === null && store.remote === null
  const filesOf = new Map(files.tables.map((table) => [table.name, table.files]))
  return {
    /** Views over the files of tables, and empty views of tables without files. `here`: where the files may be out of reach. */
    tables: tables.map((table) => {
      const own = filesOf.get(table.name) ?? []
      const text = tableViewScript(table, addresses, own)
      const isFilled = own.length > 0
      return { name: table.name, text, here: isFilled && !isReached ? unreachedScript(table, text) : text, isFilled }
    }),
    /** Views over tables and over earlier views. */
    derived: await Promise.all(derived.map(derivedViewScript)),
    /** Those of the derived views that depend on the lake. */
    filled: await Promise.all(filledViews.map(derivedViewScript)),
    /** The view `chainlake_lake`, which describes what the views show. */
    facts: lakeFactsScript(views),
  }
}

/** Every view of a lake without files, each after the views that it reads. */
export async function emptyLakeScripts({ tables, derived }: Declarations): Promise<string[]> {
  // DuckDB looks at every file of a table for each view over it, and comments cost the most time. So the views over views come before the
  // views of tables with comments.
  return [
    ...tables.map((table) => createScript(table.name, emptyTableQuery(table))),
    ...(await Promise.all(derived.map(derivedViewScript))),
    ...tables.map((table) => commented(table, emptyTableQuery(table))),
  ]
}

/**
 * `addr(text)`: an address as the tables of a lake have it, `0x` in lower case or bech32 without chain prefix. Other texts stay. See
 * `bareAddress` of src/decode.
 */
export const addressMacro = `CREATE OR REPLACE MACRO addr(address) AS
  CASE WHEN regexp_matches(address, '^([0-9A-Za-z]+-)?0[xX][0-9A-Fa-f]+$') THEN lower(regexp_replace(address, '^[0-9A-Za-z]+-', ''))
  ELSE regexp_replace(address, '^[0-9A-Za-z]+-([a-z][a-z0-9]*1[02-9ac-hj-np-z]{38})$', '\\1') END;`

/** The same for the views of this program, with what they share. */
export async function builtInScripts(declared: Declarations): Promise<string[]> {
  return [addressMacro, ...(await emptyLakeScripts(declared))]
}

/** The schema with the tables and views that have rows. Its views name those of `main`, whatever the file is attached as. */
const filledSchema = 'filled'

/** The statement before those of `filledScript`. */
export const filledSchemaScript = `CREATE SCHEMA IF NOT EXISTS ${filledSchema};`

/** The script that shows a table or view in the short list of those with rows. */
export function filledScript(name: string): string {
  return `CREATE OR REPLACE VIEW ${filledSchema}.${sqlName(name)} AS\nFROM main.${sqlName(name)};`
}

/** The script that takes a table or view out of the short list. */
export function unlistedScript(name: string): string {
  return `DROP VIEW ${filledSchema}.${sqlName(name)};`
}

/**
 * Every view of a lake without files, and all of them in the short list: DuckDB looks at all that a view reads when it lists it, so a
 * publication only takes names out.
 */
export function listedScripts(scripts: readonly string[], { tables, derived }: Declarations): string[] {
  return [...scripts, filledSchemaScript, ...[...tables, ...derived].map(({ name }) => filledScript(name))]
}

async function derivedViewScript(view: DerivedView): Promise<string> {
  return viewScript({ ...view, query: await readViewQuery(view) })
}

/** What a reader of views over files elsewhere needs to know first; empty for a lake in a folder. */
export function remoteNote({
  store: { remote, address },
  location = null,
}: Pick<LakeViews, 'store' | 'location'>): string {
  if (location !== null) return `The data files are at ${location}.`
  return remote === null ? '' : `The data files are at ${address('')}. First run ${remote.accessSql}.`
}

/** The view with facts about the lake. */
export const lakeFactsName = 'chainlake_lake'

function lakeFactsScript(views: LakeViews): string {
  const { files, lakeDir, location = null } = views
  const facts = [
    `${sqlText(files.snapshot.lakeId)} AS lake_id`,
    `CAST(${files.snapshot.snapshotId} AS BIGINT) AS snapshot_id`,
    `CAST(${sqlText(new Date().toISOString())} AS TIMESTAMP WITH TIME ZONE) AS published_at`,
    `${sqlText(location ?? resolve(lakeDir))} AS lake_path`,
    `${sqlText(packageVersion())} AS chainlake_version`,
  ]
  return viewScript({
    name: lakeFactsName,
    query: `SELECT\n  ${facts.join(',\n  ')}`,
    comment: `What these views show, in one row. ${remoteNote(views)}`.trimEnd(),
    columns: {
      lake_id: { comment: 'A UUID that the lake has from its beginning; a copy or a restored backup has the same.' },
      snapshot_id: { comment: 'Snapshot of the catalog whose files the views list.' },
      published_at: { comment: 'When the views were written (UTC).' },
      lake_path: { comment: 'Where the views read the lake: its folder, or the location of chainlake views.' },
      chainlake_version: { comment: 'Version of chainlake that wrote the views.' },
    },
  })
}
