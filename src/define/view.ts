import { DefinitionError } from '../errors.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import { blockDate, blockTime, type Column, type Columns, dateColumn, duckdbType, utcDate } from './column.ts'
import { identityColumns, type Table } from './table.ts'

/** A column of a view: its type, and what it holds. */
export type ViewColumn = {
  /** DuckDB type, as `describe` prints it. */
  readonly type: string
  readonly comment: string
}

/** The columns of a view by name. */
export type ViewColumns = { readonly [name: string]: ViewColumn }

/** A view over tables and other views. */
export type DerivedView<C extends ViewColumns = ViewColumns> = {
  readonly name: string
  readonly comment: string
  /** Tables and views that the query reads; their declarations come before this one. */
  readonly dependsOn: readonly string[]
  /** The columns, in the order in which the query selects them. */
  readonly columns: C
  /** Default: the text of `schemas/views/<name>.sql`. */
  readonly query?: string
  /** A time of the query. Its UTC date becomes the last column, `block_date`. */
  readonly dateOf?: string
}

/** Declares a derived view. */
export function derivedView<const C extends ViewColumns>(declaration: DerivedView<C>): DerivedView<C> {
  const { name, comment, columns } = declaration
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new DefinitionError(`View name ${JSON.stringify(name)} is not snake_case.`)
  if (comment.trim() === '') throw new DefinitionError(`View ${name} needs a comment.`)
  for (const [column, { comment }] of Object.entries(columns))
    if (comment.trim() === '') throw new DefinitionError(`Column ${name}.${column} needs a comment.`)
  return withBlockDate(declaration)
}

/** Adds the date of `block_time`, unless the view has no such time or its query selects the date. */
function withBlockDate<C extends ViewColumns>(view: DerivedView<C>): DerivedView<C> {
  if (view.columns[blockTime]?.type !== 'TIMESTAMP WITH TIME ZONE' || blockDate in view.columns) return view
  const time = 'known_time' in view.columns ? 'known_time' : blockTime
  const date = dateColumn(view.name, time, time === blockTime)
  return { ...view, dateOf: time, columns: { ...view.columns, [blockDate]: date } }
}

/** A view column that shows a table column unchanged, with its comment or another one. */
export function viewColumn(column: Column, comment: string = column.comment): ViewColumn {
  return { type: duckdbType(column.type), comment }
}

/** Views, some of them declared again. Each comes after the views that it reads. */
export function redeclaredViews(known: readonly DerivedView[], declared: readonly DerivedView[]): DerivedView[] {
  const names = new Set(declared.map(({ name }) => name))
  const others = known.filter(({ name }) => !names.has(name))
  const isReader = ({ name, dependsOn }: DerivedView) => {
    const reads = dependsOn.some((each) => names.has(each))
    if (reads) names.add(name)
    return reads
  }
  const readers = others.filter(isReader)
  return [...others.filter((view) => !readers.includes(view)), ...declared, ...readers]
}

/** The table that lists the complete observations; see schemas/lake.ts. */
const observationsTable = 'observations'

/**
 * The view `<table>_latest` of a table with history: the rows of the last observation. Throws `DefinitionError` if the rows of the table
 * never change.
 */
export function latestView(table: Table): DerivedView {
  const { name, history, columns } = table
  const shown = shownColumns(table)
  const identity = observedKey(table).filter((column) => column !== 'network')
  if (history === 'versions')
    return derivedView({
      name: `${name}_latest`,
      comment: `Of ${name} the latest version of each row${'present' in columns ? ', those left out that are gone' : ''}.`,
      dependsOn: [name],
      columns: shown,
      query: versionsQuery(table),
    })
  if (history === 'observations')
    return derivedView({
      name: `${name}_latest`,
      comment: `Of ${name} one row per ${identity.join(', ')}, of the newest observation; none where a newer one looked and found none.`,
      dependsOn: [name, observationsTable],
      columns: shown,
      query: observationsQuery(table),
    })
  throw new DefinitionError(`Table ${name} has no history, so it cannot have a view of latest rows.`)
}

export function latestViews(tables: readonly Table[]): DerivedView[] {
  return tables.filter(({ history }) => history !== 'rows').map(latestView)
}

function versionsQuery(table: Table): string {
  const identity = identityColumns(table).map(sqlName).join(', ')
  return [
    'SELECT * FROM (',
    `  SELECT * FROM ${sqlName(table.name)}`,
    `  QUALIFY row_number() OVER (PARTITION BY ${identity} ORDER BY observed_at DESC, observation_id DESC) = 1`,
    ')',
    ...('present' in table.columns ? ['WHERE present'] : []),
  ].join('\n')
}

/** The columns that identify the subject of an observed row: its key without the observation. */
function observedKey({ key }: Table): string[] {
  return key.filter((column) => column !== 'observation_id')
}

/**
 * Subjects overlap: a job for named nodes and a job for their whole subnet both see a validator. A row of the latest observation of its
 * subject therefore counts only when no newer observation of another subject covers it. A subject covers the rows of all its observations,
 * and the rows that its name includes (`coverage` of the table).
 *
 * Rows do not store which pipeline observed them, and another pipeline may observe a subject of the same name. Only the pipelines that
 * filled rows of this table count. Ids of observations sort by time.
 */
function observationsQuery(table: Table): string {
  const name = sqlName(table.name)
  const key = observedKey(table).map(sqlName)
  return [
    'WITH seen AS (',
    `  SELECT DISTINCT network, subject, observation_id FROM ${name}`,
    '), fillers AS (',
    `  SELECT DISTINCT pipeline FROM ${observationsTable} SEMI JOIN seen USING (network, subject, observation_id)`,
    '), latest AS (',
    '  SELECT network, subject, max(observation_id) AS observation_id',
    `  FROM ${observationsTable} SEMI JOIN fillers USING (pipeline) GROUP BY network, subject`,
    '), current AS (',
    `  SELECT * FROM ${name} SEMI JOIN latest USING (network, subject, observation_id)`,
    '), covered AS (',
    `  SELECT ${key.map((column) => `had.${column}`).join(', ')}, max(latest.observation_id) AS observation_id`,
    `  FROM (SELECT DISTINCT ${[...new Set([...key, 'subject'])].join(', ')} FROM ${name}) AS had JOIN latest USING (network, subject)`,
    '  GROUP BY ALL',
    ')',
    'SELECT * FROM current ANTI JOIN covered ON',
    `  ${key.map((column) => `covered.${column} IS NOT DISTINCT FROM current.${column}`).join(' AND ')}`,
    '  AND covered.observation_id > current.observation_id',
    ...(table.coverage === null ? [] : ['ANTI JOIN latest AS whole ON', ...namedRows(table.coverage)]),
  ].join('\n')
}

/** SQL conditions: the subject `whole`, of a newer observation, covers a row by its name. */
function namedRows({ filters, needs }: NonNullable<Table['coverage']>): string[] {
  const selected = Object.entries(filters).map(([filter, column]) => {
    const isWhole = `NOT regexp_matches(whole.subject, ${sqlText(`[?&]${filter}=`)})`
    if (column === null) return isWhole
    // The name holds only the first item of a long list, before a `+`.
    const values = `regexp_split_to_array(regexp_extract(whole.subject, ${sqlText(`[?&]${filter}=([^&]*)`)}, 1), '[,+]')`
    return `(${isWhole} OR list_contains(${values}, current.${sqlName(column)}))`
  })
  const needed = needs === undefined ? [] : [`regexp_matches(whole.subject, ${sqlText(`[?&]${needs}=`)})`]
  const conditions = [
    'whole.network = current.network',
    "split_part(whole.subject, '?', 1) = split_part(current.subject, '?', 1)",
    'whole.observation_id > current.observation_id',
    ...selected,
    ...needed,
  ]
  return conditions.map((condition, at) => `  ${at === 0 ? '' : 'AND '}${condition}`)
}

/** Whether the view of a table adds the date: to a time of a block, unless the table has its own column of that name. */
export function hasBlockDate({ columns }: Table): boolean {
  return columns[blockTime]?.type.kind === 'timestamp' && !(blockDate in columns)
}

/**
 * Whether the view of a table shows a column as `0x` text, although files hold bytes: an address, which is text in most tables. A comparison
 * of bytes with text finds nothing, without an error.
 */
export function isShownAsText(name: string, { type }: Pick<Column, 'type'>): boolean {
  return type.kind === 'blob' && /(^|_)address$/.test(name)
}

/** A SELECT of the columns that the view of a table shows, from a source with the columns of the table. */
export function shownQuery(table: Table, source: string): string {
  const texts = Object.entries(table.columns as Columns).flatMap(([name, column]) =>
    isShownAsText(name, column) ? [`'0x' || lower(hex(${sqlName(name)})) AS ${sqlName(name)}`] : [],
  )
  const replaced = texts.length === 0 ? '' : ` REPLACE (${texts.join(', ')})`
  const method = hasMethodId(table) ? `, ${methodIdQuery} AS method_id` : ''
  const added = hasBlockDate(table) ? `, ${utcDate(blockTime)} AS ${blockDate}` : ''
  return `SELECT *${replaced}${method}${added} FROM ${source}`
}

/** The view of EVM transactions computes which function was called. Rows do not store it, because old files would not have it. */
function hasMethodId({ name }: Table): boolean {
  return name === 'evm_transactions'
}

const methodIdQuery =
  "CASE WHEN to_address IS NOT NULL AND octet_length(input) >= 4 THEN '0x' || lower(hex(input[1:4])) END"

const methodIdColumn: ViewColumn = {
  type: 'VARCHAR',
  comment:
    'Selector of the called function: the first 4 bytes of input as 0x…; null for creations and shorter inputs. The view computes it: a condition on it reads all of input.',
}

export function shownColumns(table: Table): ViewColumns {
  const own = Object.entries(table.columns as Columns).map(([name, column]) => [name, shownColumn(name, column)])
  return { ...Object.fromEntries(own), ...addedColumns(table) }
}

function shownColumn(name: string, column: Column): ViewColumn {
  if (!isShownAsText(name, column)) return viewColumn(column)
  return { type: 'VARCHAR', comment: `${column.comment} In the files it is BLOB.` }
}

/** Whether a column that the view of a table shows may be null. */
export function isNullable(table: Table, column: string): boolean {
  const shown = table.columns[column in table.columns ? column : blockTime]
  return shown.nullable || (hasMethodId(table) && column === 'method_id')
}

function addedColumns(table: Table): ViewColumns {
  return {
    ...(hasMethodId(table) ? { method_id: methodIdColumn } : {}),
    ...(hasBlockDate(table) ? { [blockDate]: dateColumn(table.name, blockTime, isNullable(table, blockDate)) } : {}),
  }
}
