import { DefinitionError } from '../errors.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import { type Column, type Columns, duckdbType, type RowOfColumns } from './column.ts'

/** How rows are distributed over folders. `month` and `day` truncate a timestamp column in UTC; null has its own partition. */
export type PartitionKey<K extends string = string> = {
  readonly transform: 'identity' | 'month' | 'day'
  readonly column: K
}

/** Partitions by the values of a column. */
export function identity<const K extends string>(column: K): PartitionKey<K> {
  return { transform: 'identity', column }
}

/** Partitions by the month (UTC) of a timestamp column. */
export function month<const K extends string>(column: K): PartitionKey<K> {
  return { transform: 'month', column }
}

/** Partitions by the day (UTC) of a timestamp column. */
export function day<const K extends string>(column: K): PartitionKey<K> {
  return { transform: 'day', column }
}

/** Rows per row group: flat tables, tables with lists and structs, tables of raw bytes. */
export const rowGroupRows = { flat: 122_880, nested: 20_480, raw: 16_384 } as const

/** A table of a lake, as `table` declares it. `K`: the names of its columns. */
export type Table<C extends Columns = any, K extends string = string> = {
  readonly name: string
  readonly comment: string
  /** Columns that together identify a row. */
  readonly key: readonly K[]
  readonly sortBy: readonly K[]
  readonly partitionBy: readonly PartitionKey<K>[]
  readonly rowGroup: keyof typeof rowGroupRows
  readonly history: History
  /** For a table of observations: the rows that its subjects cover. Null where subjects of different names never share a row. */
  readonly coverage: SubjectRules | null
  /** For a table of versions: columns that describe the answer. A difference in them alone does not create another version. */
  readonly notCompared: readonly K[]
  /** The columns that are marked so, and others of this table. */
  readonly lasting: readonly K[]
  /**
   * The column of the key that numbers rows as the source does; null if there is none. Two sources may number differently: a row of the
   * lake that equals another one but for this number is the same row.
   */
  readonly numbered: K | null
  readonly streamValues: readonly StreamValue<K>[]
  readonly unproven: Unproven<K>
  /**
   * What decides which rows the table has, where its columns do not say it, such as the types of an event. A lake refuses another meaning,
   * because its rows would have two.
   */
  readonly meaning: string | null
  /** Null: the catalog of a lake gives the ids by path. In a new table they follow the order of the columns. */
  readonly ids: ColumnIds | null
  readonly columns: C
}

/** A column with one value in all rows of a stream: the value of this parameter of the stream. */
type StreamValue<K extends string> = { readonly column: K; readonly parameter: string }

/**
 * Columns with values that `verify` cannot check: those that are marked so, and others of this table. A table of observations need not name
 * its subject, observation id and time.
 */
type Unproven<K extends string> = {
  /** Columns that nothing else in a lake holds. */
  readonly never?: readonly K[]
  /** Columns that something else holds for some rows only. */
  readonly partly?: readonly K[]
}

/**
 * The permanent ids of columns, in files and in catalogs. A column may move to any position; a column with another name is another column.
 * Paths are dotted from the top-level column; `element` names the items of a list.
 */
export type ColumnIds = {
  readonly columns: { readonly [path: string]: number }
  /** Paths of retired columns by id: their ids must not be used again. */
  readonly retired: { readonly [id: string]: string }
}

/**
 * How rows change over time. `rows` never change. Each complete observation of `observations` contains all rows again (columns `subject`,
 * `observation_id`, `observed_at`). A row of `versions` is stored when it differs from its latest version (columns `observation_id`,
 * `observed_at`, `version_hash`, and `present` where rows can disappear). Tables of the last two kinds have a view `<table>_latest`.
 */
export type History = 'rows' | 'observations' | 'versions'

/**
 * The rows that an observation covers according to the name of its subject, such as `subnet/1111?node-ids=NodeID-…`: all rows of the part
 * before the `?` that pass the filters after it.
 */
type SubjectRules = {
  /** Parameters that select rows, each with the column that holds the selected values; null where no column holds them. */
  readonly filters: Readonly<Record<string, string | null>>
  /** An observation has rows of this table only if its name contains this parameter. */
  readonly needs?: string
}

/** What `table` takes: a table with defaults for what is left out. */
export type TableDeclaration<C extends Columns> = Pick<
  Table<C, keyof C & string>,
  'name' | 'comment' | 'key' | 'sortBy' | 'columns'
> &
  Partial<Table<C, keyof C & string>>

/** The type of a row of the table. */
export type RowOf<T> = T extends Table<infer C> ? RowOfColumns<C> : never

const byNetwork: readonly PartitionKey[] = [identity('network')]

/** Declares a table of the lake. Throws `DefinitionError` for invalid names, and for columns that it names but does not declare. */
export function table<C extends Columns>(declaration: TableDeclaration<C>): Table<C> {
  const { name, comment, columns } = declaration
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new DefinitionError(`Table name ${JSON.stringify(name)} is not snake_case.`)
  if (comment.trim() === '') throw new DefinitionError(`Table ${name} needs a comment.`)
  const { key, sortBy, numbered = null, partitionBy = byNetwork } = declaration
  const { notCompared = [], lasting = [], streamValues = [], unproven = {} } = declaration
  const named = [
    ...notCompared,
    ...lasting,
    ...(numbered === null ? [] : [numbered]),
    ...streamValues.map(({ column }) => column),
    ...(unproven.never ?? []),
    ...(unproven.partly ?? []),
  ]
  for (const column of [...key, ...sortBy, ...partitionBy.map((p) => p.column), ...named])
    if (!(column in columns))
      throw new DefinitionError(`Table ${name} names a column ${column} that it does not declare.`)
  for (const column of Object.keys(columns))
    if (!/^[a-z][a-z0-9_]*$/.test(column)) throw new DefinitionError(`Column ${name}.${column} is not snake_case.`)
  const never = marked(columns, unproven.never, ({ isUnproven }) => isUnproven === 'never')
  const partly = marked(columns, unproven.partly, ({ isUnproven }) => isUnproven === 'partly')
  return {
    partitionBy: byNetwork,
    rowGroup: 'flat',
    history: 'rows',
    coverage: null,
    notCompared: [],
    numbered: null,
    meaning: null,
    streamValues: [],
    ids: null,
    ...declaration,
    lasting: marked(columns, lasting, ({ isLasting }) => isLasting === true),
    unproven: { ...(never.length === 0 ? {} : { never }), ...(partly.length === 0 ? {} : { partly }) },
  }
}

/** The columns with a mark, and others that the table names, in the order of the columns. */
function marked(columns: Columns, others: readonly string[] = [], hasMark: (column: Column) => boolean): string[] {
  const names = new Set(others)
  return Object.keys(columns).filter((name) => names.has(name) || hasMark(columns[name]!))
}

/** A column, or a part of a nested one, with its permanent id. */
export type Field = {
  /** Parquet field id and DuckLake column id. */
  readonly id: number
  /** Name in the file: the name of the column, or `element` for list items. */
  readonly name: string
  /** Dotted path from the top-level column. */
  readonly path: string
  readonly column: Column
  readonly children: readonly Field[]
}

/**
 * The columns of a table as fields with their ids, in the order of the declaration. Throws `DefinitionError` for a column without an id.
 */
export function fieldsOf(table: Table): Field[] {
  const { columns } = table.ids ?? idsInOrder(table.columns)
  return visitColumns(table.columns, (path) => {
    const id = columns[path]
    if (id !== undefined) return id
    throw new DefinitionError(`Column ${table.name}.${path} has no id.`, {
      code: 'definition.column-id',
      hint: 'npm run ids gives new columns an id in schemas/ids.json.',
    })
  })
}

/** The paths of columns and of the columns nested in them, depth first. */
export function columnPaths(columns: Columns): string[] {
  const paths: string[] = []
  visitColumns(columns, (path) => paths.push(path))
  return paths
}

function idsInOrder(columns: Columns): ColumnIds {
  return {
    columns: Object.fromEntries(columnPaths(columns).map((path, position) => [path, position + 1])),
    retired: {},
  }
}

/** Fields depth first, parents before their children. */
function visitColumns(columns: Columns, idOf: (path: string) => number): Field[] {
  const visit = (name: string, path: string, column: Column): Field => {
    const id = idOf(path)
    const { type } = column
    if (type.kind === 'list')
      return { id, name, path, column, children: [visit('element', `${path}.element`, type.item)] }
    if (type.kind !== 'struct') return { id, name, path, column, children: [] }
    const children = Object.entries(type.fields).map(([child, field]) => visit(child, `${path}.${child}`, field))
    return { id, name, path, column, children }
  }
  return Object.entries(columns).map(([name, column]) => visit(name, name, column))
}

/**
 * Assigns ids to the columns of a table: known columns keep their id, new columns get the next id that was never used, and the ids of
 * removed columns are retired. `before` is null for a new table.
 */
export function columnIds(table: Table, before: ColumnIds | null): ColumnIds {
  const { columns: known, retired: ended } = before ?? { columns: {}, retired: {} }
  const paths = columnPaths(table.columns)
  const retired = new Map(Object.entries(ended))
  for (const [path, id] of Object.entries(known)) if (!paths.includes(path)) retired.set(String(id), path)
  let next = Math.max(0, ...Object.values(known), ...[...retired.keys()].map(Number)) + 1
  const columns = paths.map((path): [string, number] => {
    const id = known[path]
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    // Readers find nested columns by name.
    if (id === undefined && known[parent] !== undefined && [...retired.values()].includes(path))
      throw new DefinitionError(`${table.name}.${path} was the name of another nested column.`, {
        code: 'definition.column-id',
        hint: 'Existing files hold the values of the earlier column under this name: choose another name.',
      })
    return [path, id ?? next++]
  })
  return { columns: Object.fromEntries(columns), retired: Object.fromEntries(retired) }
}

/** Columns that distinguish versions, or observations, of the same row. */
export const observationColumns: readonly string[] = ['observed_at', 'observation_id', 'subject']

/** The columns that identify the subject of a row: the key, without the columns that distinguish versions. */
export function identityColumns(table: Table): string[] {
  return table.key.filter((name) => table.history !== 'versions' || !observationColumns.includes(name))
}

/**
 * DuckDB's call that reads Parquet files of a table. DuckDB finds the columns by field id; a column that an older file does not have reads
 * as null. DuckDB does not count rows when it gets a schema. Without `rows` it would plan joins as if the table were empty.
 */
export function parquetQuery(table: Table, paths: readonly string[], rows: number): string {
  const schema = fieldsOf(table).map(
    ({ id, name, column }) =>
      `  ${id}: {name: ${sqlText(name)}, type: ${sqlText(duckdbType(column.type))}, default_value: NULL}`,
  )
  const separator = separators.find((each) => !paths.some((path) => path.includes(each))) ?? '\n'
  return [
    `read_parquet(CASE WHEN ${isTooOld} THEN error(${tooOld}) ELSE string_split(`,
    sqlText(paths.map(literalPath).join(separator)),
    `, chr(${separator.charCodeAt(0)})) END, schema = MAP {`,
    schema.join(',\n'),
    `}, hive_partitioning = false, explicit_cardinality = ${rows})`,
  ].join('\n')
}

/**
 * DuckDB before 1.2.0 reads lists and columns that an older file does not have as null, without an error. DuckDB evaluates the paths when
 * it plans a query: an old version refuses every query on a view, also one without rows, and the plans of later versions do not have the check.
 */
const isTooOld = "regexp_matches(version(), '^v(0\\.[1-9]|1\\.[01]\\.)')"
const tooOld = "'The views of a chainlake lake need DuckDB 1.2.0 or later, this is ' || version() || '.'"

/**
 * The paths are one text, not a list of texts: DuckDB keeps 3 KB for each item of a list, in many copies while it creates a view with its
 * comments. The text has one path per line, unless the folder of a lake has a line feed in its name.
 */
const separators = ['\n', '\t', '\v', '\f']

/** The paths that such calls in an SQL text read, also in the text of a view as DuckDB writes it. */
export function parquetQueryPaths(sql: string): string[] {
  return [...sql.matchAll(/string_split\(\s*'((?:[^']|'')*)',\s*chr\((\d+)\)/g)].flatMap(([, paths = '', separator]) =>
    paths
      .replaceAll("''", "'")
      .split(String.fromCharCode(Number(separator)))
      .map(plainPath),
  )
}

/** A query that gives typed columns and no rows, for a table without files. */
export function emptyQuery(table: Table): string {
  const fields = fieldsOf(table).map(
    ({ name, column }) => `CAST(NULL AS ${duckdbType(column.type)}) AS ${sqlName(name)}`,
  )
  return `SELECT ${fields.join(',\n  ')}\nWHERE false`
}

/** A path with its glob characters escaped, so that DuckDB reads it literally. */
function literalPath(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}

function plainPath(literal: string): string {
  return literal.replace(/\[([*?[])\]/g, '$1')
}
