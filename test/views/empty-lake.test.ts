import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { builtInScripts, listedScripts } from '../../src/views/lake-scripts.ts'
import { emptyLakePath, makeEmptyLake, runInDatabase } from '../../src/views/publish.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-empty-'))
const declared = { tables, derived: derivedViews }
const scripts = listedScripts(await builtInScripts(declared), declared)

async function viewsOf(path: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const columns =
    'SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal ORDER BY ALL'
  const views = 'SELECT view_name, sql, comment FROM duckdb_views() WHERE NOT internal ORDER BY ALL'
  const rows = [await connection.runAndReadAll(columns), await connection.runAndReadAll(views)]
  const found = rows.map((reader) => reader.getRowsJson())
  connection.closeSync()
  instance.closeSync()
  return found
}

test('the build contains the views of an empty lake, equal to what their scripts make', async () => {
  expect(existsSync(emptyLakePath(scripts))).toBe(true)
  const [copied, made] = [join(folder, 'copied.duckdb'), join(folder, 'made.duckdb')]
  await makeEmptyLake(copied, scripts)
  await runInDatabase(made, scripts)
  const views = await viewsOf(copied)
  expect(views).toEqual(await viewsOf(made))
  expect((views as unknown[][])[1]?.length).toBe(2 * (tables.length + derivedViews.length))
})

test('an empty lake with other declarations is made by its scripts', async () => {
  const others = ['CREATE VIEW one AS SELECT 1 AS n']
  expect(existsSync(emptyLakePath(others))).toBe(false)
  await makeEmptyLake(join(folder, 'others.duckdb'), others)
  expect(await viewsOf(join(folder, 'others.duckdb'))).toMatchObject([
    [['one', 'n', 'INTEGER', null]],
    [['one', expect.anything(), null]],
  ])
})
