import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { parquetQuery, type Table } from '../../src/define/index.ts'
import { sqlText } from '../../src/lib/text.ts'
import { tableRows } from '../../src/lookup/engine.ts'
import { createParquetThread } from '../../src/write/parquet-thread.ts'
import { sql } from '../catalog/sql.ts'
import { writeRows } from '../write/write-rows.ts'

export type Row = Record<string, any>

/** The paths of a table's files in the catalog of a lake. */
export async function filesOf(lake: string, table: string): Promise<string[]> {
  const { tables: known } = await (await openCatalog({ folder: lake }, tables)).files()
  return known.find(({ name }) => name === table)?.files.map(({ path }) => path) ?? []
}

/**
 * Rewrites a file with other rows, and updates the catalog so that the file itself looks sound: size, metadata, statistics, hash and counts
 * match the new file. Only other rows can reveal the change; with `keepsCount` also the number of rows that the commit recorded.
 */
export async function rewriteFile(
  lake: string,
  path: string,
  change: (rows: Row[]) => Row[],
  options: { readonly keepsCount?: true } = {},
): Promise<void> {
  await rewriteFiles(lake, [{ path, change, ...options }])
}

/** Rewrites several files, which is faster than one by one. */
export async function rewriteFiles(
  lake: string,
  changes: readonly { readonly path: string; readonly change: (rows: Row[]) => Row[]; readonly keepsCount?: true }[],
): Promise<void> {
  const thread = createParquetThread()
  const statements: string[] = []
  try {
    for (const { path, change, keepsCount } of changes)
      statements.push(...(await rewritten(lake, path, change, { thread, keepsCount: keepsCount === true })))
  } finally {
    await thread.close()
  }
  await sql(lake, statements.join(';\n'))
}

/** Writes the file and returns the facts that the catalog must record. */
async function rewritten(
  lake: string,
  path: string,
  change: (rows: Row[]) => Row[],
  { thread, keepsCount }: { readonly thread: ReturnType<typeof createParquetThread>; readonly keepsCount: boolean },
): Promise<string[]> {
  const table = await tableOf(lake, path)
  const before = await rowsOfFile(lake, path)
  const after = change(before.map((row) => ({ ...row })))
  rmSync(join(lake, path))
  const file = await writeRows(thread, join(lake, path), table, after)
  const name = path.split('/').slice(2).join('/')
  const of = `data_file_id = (SELECT data_file_id FROM main.ducklake_data_file d JOIN main.ducklake_table t USING (table_id)
    WHERE t.table_name = ${sqlText(table.name)} AND d.path = ${sqlText(name)})`
  const more = after.length - before.length
  return [
    `UPDATE main.ducklake_data_file SET record_count = ${file.rows}, file_size_bytes = ${file.bytes}, footer_size = ${file.footerBytes} WHERE ${of}`,
    `UPDATE chainlake.file SET sha256 = '${file.sha256}'${keepsCount ? '' : `, row_count = ${file.rows}`} WHERE ${of}`,
    ...file.stats.map(({ fieldId, columnBytes, valueCount, nullCount, min, max }) => {
      const text = (value: string | null) => (value === null ? 'NULL' : sqlText(value))
      return `UPDATE main.ducklake_file_column_stats SET column_size_bytes = ${columnBytes}, value_count = ${valueCount - nullCount},
        null_count = ${nullCount}, min_value = ${text(min)}, max_value = ${text(max)} WHERE ${of} AND column_id = ${fieldId}`
    }),
    `UPDATE chainlake.coverage SET row_count = row_count + ${more} WHERE rowid = (SELECT min(rowid) FROM chainlake.coverage WHERE table_name = ${sqlText(table.name)})`,
  ]
}

/** The table of a file, as the lake declares it. */
async function tableOf(lake: string, path: string): Promise<Table> {
  const declared = await (await openCatalog({ folder: lake }, tables)).tables()
  return declared.find(({ name }) => name === path.split('/')[1])!
}

export async function rowsOfFile(lake: string, path: string): Promise<Row[]> {
  const table = await tableOf(lake, path)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const rows: Row[] = []
  const from = `FROM ${parquetQuery(table, [join(lake, path)], 1)}`
  for await (const some of tableRows(connection, table, from)) rows.push(...(some as Row[]))
  connection.closeSync()
  instance.closeSync()
  return rows
}
