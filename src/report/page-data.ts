import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { tables as declaredTables } from '../../schemas/index.ts'
import { copyLakeCatalog } from '../catalog/backup.ts'
import { type Catalog, lakePaths, openCatalog } from '../catalog/catalog.ts'
import type { LakeLocation } from '../catalog/place.ts'
import { StorageError } from '../errors.ts'
import { interruptAt } from '../lib/duckdb.ts'
import { replaceFile } from '../lib/files.ts'
import { freeMemory } from '../lib/memory.ts'
import { sqlText } from '../lib/text.ts'
import { takeSpillFolder } from '../run/disk-space.ts'
import { viewsOf } from '../run/status/remote-lake.ts'
import { type Cell, cellText, openLake } from '../views/query.ts'

/** The views of a lake, with its published catalog attached as `catalog`. */
export type LakeReading = {
  readonly ask: (sql: string) => Promise<{
    readonly columns: readonly { readonly name: string; readonly type: string }[]
    readonly rows: readonly (readonly PageCell[])[]
  }>
  /** Whether a query can have rows: tables and views without any are not worth a query. */
  readonly canAnswer: (sql: string) => boolean
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

/** Memory of DuckDB for a question. The rest of half a GiB is for the process around it. */
const memory = '200MB'

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
    let prepared: DuckDBConnection | undefined
    const prepare = async (connection: DuckDBConnection): Promise<void> => {
      prepared = connection
      await connection.run('SET preserve_insertion_order = false')
      // A second thread would need a part of the memory for itself.
      await connection.run('SET threads = 1')
      await connection.run(`SET temp_directory = ${sqlText(spill.path)}`)
      if (existsSync(catalog)) await attachPublished(connection, catalog)
    }
    const reader = await openLake(lake.folder, prepare, await viewsOf(lake))
    const release = interruptAt(stop, reader)
    try {
      const ask = async (sql: string) => {
        stop?.throwIfAborted()
        // The question before left the heap in fragments.
        await prepared?.run(freeMemory(memory))
        const { columns, chunks } = await reader.query(sql)
        const rows: PageCell[][] = []
        for await (const chunk of chunks) for (const row of chunk) rows.push(row.map(plainCell))
        if (rows.length > mostRows) throw new RangeError(`A question of the report gives ${rows.length} rows.`)
        return { columns, rows }
      }
      return await use({ ask, canAnswer: await emptiesOf(ask, existsSync(catalog)) })
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

/** Knows what is empty: all views that the short list `filled` leaves out, and a catalog that is not published. */
async function emptiesOf(ask: LakeReading['ask'], hasCatalog: boolean): Promise<LakeReading['canAnswer']> {
  const { rows } = await ask('SELECT view_name, schema_name FROM duckdb_views() WHERE NOT internal')
  const filled = new Set(rows.flatMap(([name, schema]) => (schema === 'filled' ? [name] : [])))
  const views = new Set(rows.map(([name]) => name))
  return (sql) => {
    if (sql.includes('FROM catalog.')) return hasCatalog
    // A text may name a view too, such as the path of a file.
    const named = (sql.replaceAll(/'[^']*'/g, '').match(/\w+/g) ?? []).filter((word) => views.has(word))
    return named.length === 0 || named.some((name) => filled.has(name))
  }
}

function plainCell(cell: Cell): PageCell {
  return typeof cell === 'object' && cell !== null ? cellText(cell) : cell
}

type LastVerify = {
  readonly schema: 'chainlake.last-verify.v1'
  /** ISO 8601 time in UTC. */
  readonly endedAt: string
  readonly snapshot: number | null
  /** Whether it checked only sizes, metadata and statistics. */
  readonly fast: boolean
  readonly findings: number
}

/** The file next to the catalog that records the last verification of the whole lake. */
function lastVerifyPath(lakeDir: string): string {
  return join(lakeDir, 'last-verify.json')
}

/** Records the verification of the whole lake that has just ended. */
export async function writeLastVerify(
  lakeDir: string,
  result: Pick<LastVerify, 'snapshot' | 'fast' | 'findings'>,
): Promise<void> {
  const record: LastVerify = { schema: 'chainlake.last-verify.v1', endedAt: new Date().toISOString(), ...result }
  await replaceFile(lastVerifyPath(lakeDir), `${JSON.stringify(record)}\n`)
}

/** The last verification of the whole lake; null when none is recorded in the format of this version. */
export async function readLastVerify(lakeDir: string): Promise<LastVerify | null> {
  try {
    const found: LastVerify = JSON.parse(await readFile(lastVerifyPath(lakeDir), 'utf8'))
    return found.schema === 'chainlake.last-verify.v1' ? found : null
  } catch {
    return null
  }
}

/** The answers that a report's page shows, as JSON. The script of the page shares these types. */

/** A value of an answer. Whole numbers beyond 2^53, decimals and times are text; see `Cell` of the views. */
export type PageCell = null | boolean | number | string

/** How to read the values of a column. */
export type PageColumn = {
  /** Its name in the SQL, which is its heading. */
  readonly name: string
  readonly kind:
    | { readonly as: 'text' }
    /** A time in UTC, as text without a zone or with `Z`. */
    | { readonly as: 'time' }
    /** A whole number of any size; its last `decimals` digits are decimal places. */
    | { readonly as: 'whole'; readonly decimals?: number; readonly unit?: string }
    /** A number that is already rounded. */
    | { readonly as: 'number'; readonly unit?: string }
}

export type PageAnswer = {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly sql: string
  /** `minute`, `hour`, …; null where no time is cut. */
  readonly grain: string | null
  readonly columns: readonly PageColumn[]
  /** How rows become a picture; columns by name. */
  readonly picture: /** Horizontal bars, the first rows on top. */
    | { readonly kind: 'bars'; readonly label: string; readonly value: string }
    /** Bars over time, stacked where there is a series, or lines over time; one picture for each value. */
    | {
        readonly kind: 'times' | 'lines'
        readonly time: string
        readonly values: readonly string[]
        readonly series?: string
        /** The name in the series that stands for all others; it is grey. */
        readonly rest?: string
        /** The name in the series for which the bars point down from zero. */
        readonly below?: string
      }
    /** The table alone. */
    | { readonly kind: 'list' }
  readonly rows: readonly (readonly PageCell[])[]
  /** Why there are no rows, if the query failed. */
  readonly failure: string | null
}
