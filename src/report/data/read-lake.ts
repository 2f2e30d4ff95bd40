import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { copyLakeCatalog } from '../../catalog/backup/backup.ts'
import { type Catalog, lakePaths, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { StorageError } from '../../errors.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { viewsOf } from '../../run/status/remote-lake.ts'
import { takeSpillFolder } from '../../run/upkeep/spill-folder.ts'
import { type Cell, cellText } from '../../views/cell.ts'
import { interruptAt } from '../../views/interrupt-at.ts'
import { openLake } from '../../views/query.ts'
import type { PageCell } from './page-data.ts'
import { workLogName, workLogPath } from './work-log.ts'

export type Answer = { readonly names: readonly string[]; readonly rows: readonly (readonly PageCell[])[] }

/** The views of a lake, with its published catalog attached as `catalog`. */
export type LakeReading = {
  readonly ask: (sql: string) => Promise<Answer>
  /** Names of the tables that have data files, and of the catalog's tables, prefixed with `catalog.` and their schema. */
  readonly filled: ReadonlySet<string>
}

/** Upper limit for the rows of one answer; no question gives as many. */
const mostRows = 10_000

/** SQL that prepares any DuckDB for the SQL of a report. */
export function preparationSql(lake: LakeLocation): string {
  const file = (name: string): string => sqlText(join(resolve(lake.folder), name))
  const catalog = lakePaths(lake).endpoint.publishesCopy
    ? file('lake.ducklake')
    : "'copy/catalog.ducklake' /* the catalog is in PostgreSQL: the file that chainlake backup copy writes */"
  return `ATTACH ${file('lake.duckdb')} AS lake (READ_ONLY);
ATTACH ${catalog} AS catalog (READ_ONLY);
USE lake;`
}

/**
 * Reads the last published state of a lake; runs may continue at the same time. Data that does not fit into memory goes to a spill folder,
 * as in a verification.
 *
 * @throws the errors of `openLake`, and the reason of `stop`.
 */
export async function readLake<T>(
  lake: LakeLocation,
  use: (reading: LakeReading) => Promise<T>,
  stop?: AbortSignal | undefined,
): Promise<T> {
  stop?.throwIfAborted()
  const opened = await openCatalog(lake, declaredTables)
  const spill = await takeSpillFolder(lake.folder, opened)
  try {
    const catalog = await readableCatalog(lake, opened, spill.path)
    const prepare = async (connection: DuckDBConnection): Promise<void> => {
      await connection.run('SET preserve_insertion_order = false')
      await connection.run(`SET temp_directory = ${sqlText(spill.path)}`)
      if (existsSync(catalog)) await attachPublished(connection, catalog)
    }
    const reader = await openLake(lake.folder, prepare, await viewsOf(lake))
    const release = interruptAt(stop, reader)
    try {
      const ask = async (sql: string): Promise<Answer> => {
        stop?.throwIfAborted()
        const { columns, chunks } = await reader.query(sql)
        const rows: PageCell[][] = []
        for await (const chunk of chunks) for (const row of chunk) rows.push(row.map(plainCell))
        if (rows.length > mostRows) throw new RangeError(`A question of the report gives ${rows.length} rows.`)
        return { names: columns.map(({ name }) => name), rows }
      }
      return await use({ ask, filled: await filledTables(ask, resolve(lake.folder)) })
    } catch (error) {
      throw stop?.aborted ? stop.reason : error
    } finally {
      release()
      reader.close()
    }
  } finally {
    await spill.release()
  }
}

/** The file of the catalog to query: the published one, or a copy in `folder` where there is none. */
async function readableCatalog(lake: LakeLocation, { publishesCopy }: Catalog, folder: string): Promise<string> {
  if (publishesCopy) return join(resolve(lake.folder), 'lake.ducklake')
  const file = join(folder, 'catalog.ducklake')
  await mkdir(folder, { recursive: true })
  await copyLakeCatalog(lake, file)
  return file
}

async function attachPublished(connection: DuckDBConnection, file: string): Promise<void> {
  try {
    await connection.run(`ATTACH ${sqlText(file)} AS catalog (READ_ONLY)`)
  } catch (cause) {
    throw new StorageError('The published catalog cannot be opened.', {
      code: 'storage.views',
      details: { file },
      hint: 'Rewrite it with chainlake views.',
      cause,
    })
  }
}

async function filledTables(ask: LakeReading['ask'], lakeDir: string): Promise<Set<string>> {
  const known = await ask(
    `SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE database_name = 'catalog'`,
  )
  const filled = new Set(known.rows.map(([name]) => `catalog.${name}`))
  if (existsSync(workLogPath(lakeDir))) filled.add(workLogName)
  if (!filled.has('catalog.main.ducklake_data_file')) return filled
  const tables = await ask(
    `SELECT DISTINCT table_name FROM catalog.main.ducklake_data_file
     JOIN catalog.main.ducklake_table AS known USING (table_id)
     WHERE ducklake_data_file.end_snapshot IS NULL AND known.end_snapshot IS NULL`,
  )
  for (const [name] of tables.rows) filled.add(String(name))
  return filled
}

function plainCell(cell: Cell): PageCell {
  return typeof cell === 'object' && cell !== null ? cellText(cell) : cell
}
