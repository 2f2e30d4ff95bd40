import { DefinitionError } from '../errors.ts'
import { sqlName } from '../lib/sql-quote.ts'
import type { Columns } from './column.ts'
import { type DerivedView, derivedView, viewColumn } from './derived-view.ts'
import { identityColumns } from './identity-columns.ts'
import type { Table } from './table.ts'

/** The table that says which observations are complete; see schemas/observations.ts. */
const observationsTable = 'observations'

/**
 * The view `<table>_latest` of a table with history: what was there when it was looked at last. Throws `DefinitionError` for a table whose rows
 * never change.
 */
export function latestView(table: Table): DerivedView {
  const { name, history, columns } = table
  const shown = Object.fromEntries(
    Object.entries(columns as Columns).map(([column, declared]) => [column, viewColumn(declared)]),
  )
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
      comment: `Of ${name} the rows of the latest observation of each subject; none where that found none.`,
      dependsOn: [name, observationsTable],
      columns: shown,
      query: observationsQuery(table),
    })
  throw new DefinitionError(`Table ${name} has no history, so there is nothing later and latest in it.`)
}

/** The views of all tables that have one. */
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

/**
 * Rows do not say which pipeline observed them, and another one may observe a subject of the same name: only those pipelines count that
 * the table has rows of. Ids of observations sort by time.
 */
function observationsQuery({ name }: Table): string {
  const table = sqlName(name)
  return [
    'WITH seen AS (',
    `  SELECT DISTINCT network, subject, observation_id FROM ${table}`,
    '), fillers AS (',
    `  SELECT DISTINCT pipeline FROM ${observationsTable} SEMI JOIN seen USING (network, subject, observation_id)`,
    '), latest AS (',
    '  SELECT network, subject, max(observation_id) AS observation_id',
    `  FROM ${observationsTable} SEMI JOIN fillers USING (pipeline) GROUP BY network, subject`,
    ')',
    `SELECT * FROM ${table} SEMI JOIN latest USING (network, subject, observation_id)`,
  ].join('\n')
}
