import type { DuckDBConnection } from '@duckdb/node-api'
import { type DerivedView, redeclaredViews, type Table } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { withDuckDb } from '../lib/duckdb.ts'
import { builtInScripts, emptyLakeScripts } from '../views/lake-scripts.ts'
import { readOnlyFrom, whyNotOneSelect } from '../views/query.ts'
import { viewsWithBuiltIn, withBuiltIn } from './lake-tables.ts'

/** A view that cannot be created any more, and why. */
export type BrokenView = { readonly name: string; readonly reason: string }

/**
 * Checks the views of own pipelines on a lake without rows: each is one SELECT over tables and views that it names, and has the columns that
 * it declares. Otherwise the views of the lake could not be published. Returns those of the lake (`known`) that do not work any more: a
 * table may have lost a column.
 *
 * @throws DefinitionError `definition.view` for a view in `own`.
 */
export async function verifyViews(
  own: readonly DerivedView[],
  tables: readonly Table[],
  known: readonly DerivedView[] = [],
): Promise<BrokenView[]> {
  const views = redeclaredViews(known, own)
  if (views.length === 0) return []
  const broken: BrokenView[] = []
  const builtIn = { tables: withBuiltIn(tables), derived: viewsWithBuiltIn(tables, []) }
  const names = new Set([...builtIn.tables, ...builtIn.derived].map(({ name }) => name))
  await withDuckDb(':memory:', async (connection) => {
    await readOnlyFrom(connection, [])
    for (const script of await builtInScripts(builtIn)) await connection.run(script)
    for (const view of views) {
      const reason = await mistakeIn(view, names, connection)
      names.add(view.name)
      if (reason === null) continue
      if (own.includes(view)) throw wrong(view, reason)
      names.delete(view.name)
      broken.push({ name: view.name, reason })
    }
  })
  return broken
}

/** Creates a view. Returns why it cannot be used; null when it can. */
async function mistakeIn(
  view: DerivedView,
  names: ReadonlySet<string>,
  connection: DuckDBConnection,
): Promise<string | null> {
  if (names.has(view.name)) return 'A table or another view has this name.'
  const missing = view.dependsOn.find((name) => !names.has(name))
  if (missing !== undefined) return `It depends on ${missing}, which is no table or earlier view.`
  if (view.query === undefined) return 'It has no query.'
  const [script = ''] = await emptyLakeScripts({ tables: [], derived: [view] })
  try {
    const notOne = await whyNotOneSelect(connection, view.query)
    if (notOne !== null) return `Its query is not one SELECT: ${notOne.reason}.`
    await connection.run(script)
  } catch (error) {
    return (error as Error).message
  }
  const reader = await connection.runAndReadAll(`DESCRIBE "${view.name}"`)
  const found = reader.getRows().map(([name, type]) => `${name} ${type}`)
  const declared = Object.entries(view.columns).map(([name, { type }]) => `${name} ${type}`)
  if (found.join(', ') === declared.join(', ')) return null
  return `It declares the columns ${declared.join(', ')}, and its query gives ${found.join(', ')}.`
}

function wrong({ name }: DerivedView, reason: string): DefinitionError {
  return new DefinitionError(`The view ${name} cannot be used.`, {
    code: 'definition.view',
    details: { view: name, reason },
    hint: 'Correct its declaration in the pipeline. Nothing was fetched.',
  })
}
