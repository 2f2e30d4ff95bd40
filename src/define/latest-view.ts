import { DefinitionError } from '../errors.ts'
import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import { type DerivedView, derivedView } from './derived-view.ts'
import { identityColumns } from './identity-columns.ts'
import { shownColumns } from './shown-columns.ts'
import type { Coverage, Table } from './table.ts'

/** The table that lists the complete observations; see schemas/observations.ts. */
const observationsTable = 'observations'

/**
 * The view `<table>_latest` of a table with history: the rows of the last observation. Throws `DefinitionError` if the rows of the table
 * never change.
 */
export function latestView(table: Table): DerivedView {
  const { name, history, columns } = table
  const shown = shownColumns(table)
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
      comment: `Of ${name} one row per ${named(table)}, of the newest observation; none where a newer one looked and found none.`,
      dependsOn: [name, observationsTable],
      columns: shown,
      query: observationsQuery(table),
    })
  throw new DefinitionError(`Table ${name} has no history, so it cannot have a view of latest rows.`)
}

/** The views `<table>_latest` of all tables with history. */
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

function named(table: Table): string {
  return observedKey(table)
    .filter((column) => column !== 'network')
    .join(', ')
}

/**
 * Subjects overlap: a job for named nodes and a job for their whole subnet both see a validator. A row of the latest observation of its
 * subject therefore counts only when no newer observation of another subject covers it. A subject covers the rows of all its observations,
 * and the rows that its name includes (`Coverage`).
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
    ...(table.coverage === null ? [] : ['ANTI JOIN latest AS whole ON', ...namedCoverage(table.coverage)]),
  ].join('\n')
}

/** SQL conditions: the subject `whole`, of a newer observation, covers a row by its name. */
function namedCoverage({ filters, needs }: Coverage): string[] {
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
