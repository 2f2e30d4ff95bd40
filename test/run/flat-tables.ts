import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { publishTables } from '../../src/run/publish/publication.ts'
import { parquetTarget } from '../../src/run/publish/publish-parquet.ts'
import { query } from './lake-run.ts'

/** Publishes without output; usually into the folder `parquet` of the lake. */
export async function publishFlat(
  lake: string,
  more: Parameters<typeof parquetTarget>[1] & { readonly stop?: AbortSignal } = {},
) {
  const { stop = new AbortController().signal, ...options } = more
  return publishTables(parquetTarget({ folder: lake }, options), { stop, emit: () => undefined })
}

/** The published tables in a folder. */
export function flatTables(folder: string): string[] {
  return readdirSync(folder).filter((name) => lstatSync(join(folder, name)).isSymbolicLink())
}

/** The names of the files that readers of a table see. */
export function flatFiles(folder: string, table: string): string[] {
  return readdirSync(join(folder, table)).sort()
}

/** Queries DuckDB without a database. */
export async function inDuckDb(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  try {
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
    connection.closeSync()
    return rows
  } finally {
    instance.closeSync()
  }
}

/** The rows of a published table as texts, as a reader without options reads them: all files have the columns of the first one. */
export async function flatRows(folder: string, table: string): Promise<string[]> {
  return texts(await inDuckDb(`SELECT * FROM read_parquet('${join(folder, table)}/*.parquet')`))
}

/** The rows of a table of a lake as texts, from its view, without the column that the view computes. */
export async function viewRows(lake: string, table: string): Promise<string[]> {
  return texts(await query(lake, `SELECT COLUMNS(name -> name <> 'block_date') FROM ${table}`))
}

function texts(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}
