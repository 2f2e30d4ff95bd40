import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { onTestFinished } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { type Columns, duckdbType, type Field, fieldsOf, type Table } from '../../src/define/index.ts'
import { sqlName, sqlText } from '../../src/lib/text.ts'
import type { LakeSnapshot } from '../../src/model.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { buildViews } from '../../src/views/publish.ts'
import { type Cell, queryLake } from '../../src/views/query.ts'

type Value = string | number | bigint | boolean | null | undefined | readonly Value[]
export type TestRow = Readonly<Record<string, Value>>
type Files = Readonly<Record<string, readonly string[]>>

export function temporaryFolder(name = 'lake'): string {
  const parent = mkdtempSync(join(tmpdir(), 'views-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, name)
  mkdirSync(folder)
  return folder
}

/** Writes rows with DuckDB's Parquet writer and the field ids of the table; missing columns are null. */
export async function writeRows(lakeDir: string, table: Table, path: string, rows: readonly TestRow[]): Promise<void> {
  const columns = Object.entries(table.columns as Columns)
  const selects = rows.map((row) => {
    for (const name of Object.keys(row)) if (!(name in table.columns)) throw new Error(`${table.name} has no ${name}`)
    return `SELECT ${columns.map(([name, { type }]) => `CAST(${literal(row[name])} AS ${duckdbType(type)}) AS ${sqlName(name)}`)}`
  })
  await writeQuery(lakeDir, table, path, selects.join('\nUNION ALL '))
}

/** Writes the rows of a query in row groups of `rowGroupRows`. */
export async function writeQuery(lakeDir: string, table: Table, path: string, query: string, rowGroupRows = 20_480) {
  const file = join(lakeDir, path)
  mkdirSync(dirname(file), { recursive: true })
  const ids = fieldsOf(table).map(fieldId).join(', ')
  const options = `FORMAT parquet, ROW_GROUP_SIZE ${rowGroupRows}, FIELD_IDS {${ids}}`
  await runInMemory(`COPY (${query}) TO ${sqlText(file)} (${options})`)
}

let memory: Promise<DuckDBConnection> | undefined

async function runInMemory(sql: string): Promise<void> {
  memory ??= DuckDBInstance.create(':memory:').then((instance) => instance.connect())
  await (await memory).run(sql)
}

/** A snapshot of the lake of these tests. */
export function snapshot(snapshotId: number): LakeSnapshot {
  return { lakeId: '5f2b3c1e-0000-4000-8000-000000000000', snapshotId, runId: `run${snapshotId}` }
}

/** Builds views and publishes them. */
export async function publishViews(
  views: Omit<Parameters<typeof buildViews>[0], 'store' | 'catalogCopy' | 'owner'>,
): Promise<void> {
  const store = openFolderStore(views.lakeDir)
  const built = await buildViews({ ...views, store, catalogCopy: 'copy', owner: 'test' })
  await built.replace()
}

export function publish(lakeDir: string, files: Files, snapshotId = 1, declared: readonly Table[] = tables) {
  return publishViews({
    lakeDir,
    files: {
      snapshot: snapshot(snapshotId),
      tables: Object.entries(files).map(([name, paths]) => ({ name, files: paths.map((path) => ({ path, rows: 1 })) })),
    },
    tables: declared,
    derived: declared === tables ? derivedViews : [],
  })
}

/** All rows of a query as objects. */
export async function rowsOf(lakeDir: string, sql: string): Promise<Record<string, Cell>[]> {
  const { columns, chunks } = await queryLake(lakeDir, sql)
  const rows: Record<string, Cell>[] = []
  for await (const chunk of chunks)
    for (const row of chunk) rows.push(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]!])))
  return rows
}

function literal(value: Value): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string') return sqlText(value)
  if (typeof value === 'object') return `[${value.map(literal).join(', ')}]`
  return String(value)
}

function fieldId(field: Field): string {
  if (field.children.length === 0) return `${sqlName(field.name)}: ${field.id}`
  return `${sqlName(field.name)}: {__duckdb_field_id: ${field.id}, ${field.children.map(fieldId).join(', ')}}`
}
