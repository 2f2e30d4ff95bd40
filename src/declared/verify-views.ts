import { DuckDBInstance } from '@duckdb/node-api'
import type { DerivedView, Table } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { emptyLakeScripts } from '../views/lake-scripts.ts'
import { viewsWithBuiltIn, withBuiltIn } from './lake-tables.ts'

/**
 * Checks the views of own pipelines on a lake without rows: each is one SELECT over tables and views that it names, and has the columns that
 * it declares. Otherwise the views of the lake could not be published.
 *
 * @throws DefinitionError `definition.view`
 */
export async function verifyViews(own: readonly DerivedView[], tables: readonly Table[]): Promise<void> {
  if (own.length === 0) return
  const known = { tables: withBuiltIn(tables), derived: viewsWithBuiltIn(tables, []) }
  const names = new Set([...known.tables, ...known.derived].map(({ name }) => name))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', autoinstall_known_extensions: 'false' })
  const connection = await instance.connect()
  try {
    await connection.run('SET enable_external_access = false')
    for (const script of await emptyLakeScripts(known)) await connection.run(script)
    for (const view of own) {
      if (names.has(view.name)) throw wrong(view, 'A table or another view has this name.')
      names.add(view.name)
      const missing = view.dependsOn.find((name) => !names.has(name))
      if (missing !== undefined) throw wrong(view, `It depends on ${missing}, which is no table or earlier view.`)
      if (view.query === undefined) throw wrong(view, 'It has no query.')
      const statements = await connection.extractStatements(view.query).catch((error: Error) => {
        throw wrong(view, error.message)
      })
      if (statements.count !== 1) throw wrong(view, 'Its query is not one statement.')
      const [script = ''] = (await emptyLakeScripts({ tables: [], derived: [view] })) as [string]
      await connection.run(script).catch((error: Error) => {
        throw wrong(view, error.message)
      })
      const reader = await connection.runAndReadAll(`DESCRIBE "${view.name}"`)
      const found = reader.getRows().map(([name, type]) => `${name} ${type}`)
      const declared = Object.entries(view.columns).map(([name, { type }]) => `${name} ${type}`)
      if (found.join(', ') !== declared.join(', '))
        throw wrong(view, `It declares the columns ${declared.join(', ')}, and its query gives ${found.join(', ')}.`)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

function wrong({ name }: DerivedView, reason: string): DefinitionError {
  return new DefinitionError(`The view ${name} cannot be used.`, {
    code: 'definition.view',
    details: { view: name, reason },
    hint: 'Correct its declaration in the pipeline. Nothing was fetched.',
  })
}
