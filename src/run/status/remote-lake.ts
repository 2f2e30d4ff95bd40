import { existsSync } from 'node:fs'
import { constants, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { tables as declaredTables } from '../../../schemas/index.ts'
import {
  type Catalog,
  type CatalogFiles,
  hasCatalog,
  lakePaths,
  openCatalog,
  recordedFiles,
} from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { withBuiltIn } from '../../declared/lake-tables.ts'
import type { Table } from '../../define/index.ts'
import { parquetQueryPaths } from '../../define/table.ts'
import { ChainlakeError, StorageError } from '../../errors.ts'
import { withDuckDb } from '../../lib/duckdb.ts'
import { copyToNew, hashFile, setMode } from '../../lib/files.ts'
import { shellText } from '../../lib/text.ts'
import { hasDataFolder, openFolderStore } from '../../store/folder-store.ts'
import { missingFile, type Store } from '../../store/store.ts'
import { tableViewScript, unreachedScript } from '../../views/lake-scripts.ts'
import { publishedLocation } from '../../views/published-views.ts'
import { damagedFile, dataFileOf, mentionedViews, readViews, type Source } from '../../views/query.ts'
import { openQueryPlanner } from '../../views/query-planner.ts'

type RemoteViews = NonNullable<Source['remote']>

/** The files that a query reads: paths by table name. */
type Wanted = ReadonlyMap<string, ReadonlySet<string>>

type ViewsOptions = {
  /** Views to read instead of `lake.duckdb`. */
  readonly viewsFile?: string | undefined
  /** How the files of a query are checked before it runs. The sizes of fetched files are always checked. */
  readonly check?: FileCheck
}

/**
 * How to read the views of a lake: directly; if they are for readers at another location, over the files of this lake; if the files are in a
 * bucket, by fetching the files that queries need.
 */
export async function viewsOf(lake: LakeLocation, { viewsFile, check = 'size' }: ViewsOptions = {}): Promise<Source> {
  const path = viewsFile ?? join(lake.folder, 'lake.duckdb')
  const here = { viewsFile, verifyFiles: verifyReadFiles(lake, openFolderStore(lake.folder), check) }
  // Opening the catalog throws for a store that does not belong to the lake.
  const paths = lakePaths(lake)
  const { data, dataFolder } = paths.given
  if (data !== undefined || dataFolder !== undefined) await openCatalog(lake, declaredTables)
  // `openLake` reports missing files.
  const location = viewsFile === undefined ? await publishedLocation(lake.folder) : null
  const isForHere = location === null || location === resolve(lake.folder)
  if ((hasDataFolder(lake.folder) && isForHere) || !existsSync(path) || !hasCatalog(paths)) return here
  const catalog = await openCatalog(lake, declaredTables)
  if (catalog.store.remote === null)
    return isForHere ? here : { remote: await openViewsHere(catalog, path), verifyFiles: here.verifyFiles }
  const remote = await openRemoteViews(catalog, path)
  return check === 'size' ? { remote } : { remote, verifyFiles: verifyReadFiles(lake, catalog.store, check) }
}

/** Views for readers at another location, over the files of this lake. DuckDB looks at a file when a query reads it. */
function openViewsHere(catalog: Catalog, viewsFile: string): Promise<RemoteViews> {
  const { store } = catalog
  return openCopy(viewsFile, catalog, async ({ connection, files, known }) => {
    // One transaction: each one waits for the disk.
    await connection.run('BEGIN')
    for (const { name, files: own } of files.tables) {
      const table = known.find((each) => each.name === name)
      if (table !== undefined && own.length > 0)
        await connection.run(unreachedScript(table, tableViewScript(table, store, own)))
    }
    await connection.run('COMMIT')
    return { prepare: () => store.hold([]), close: () => undefined }
  })
}

/**
 * The views of a lake with its files in a bucket. For each query the needed files are fetched, by its filters and the statistics of the
 * catalog, or all files of its tables when the needed files are uncertain. All other views still refer to the bucket, which DuckDB cannot read
 * here: an overlooked table fails and is never treated as empty. `viewsFile` contains the views to show.
 */
async function openRemoteViews(catalog: Catalog, viewsFile: string): Promise<RemoteViews> {
  return openCopy(viewsFile, catalog, async ({ connection, files, known }) => {
    const filled = new Set(files.tables.flatMap(({ name, files: own }) => (own.length > 0 ? [name] : [])))
    const planner = await openQueryPlanner(
      connection,
      known.filter(({ name }) => filled.has(name)),
    )
    return { prepare: preparing(catalog, known, files, planner), close: planner.close }
  })
}

type ViewsCopy = {
  readonly connection: DuckDBConnection
  readonly files: CatalogFiles
  readonly known: readonly Table[]
}

type Prepared = { readonly prepare: RemoteViews['prepare']; readonly close: () => void }

/** Copies the views to a file of their own, where other views can replace them. `close` of the result removes it. */
async function openCopy(
  viewsFile: string,
  catalog: Catalog,
  use: (copy: ViewsCopy) => Promise<Prepared>,
): Promise<RemoteViews> {
  const { store } = catalog
  const folder = await mkdtemp(join(tmpdir(), 'chainlake-views-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const own = join(folder, 'lake.duckdb')
  try {
    await copyToNew(viewsFile, own, constants.COPYFILE_EXCL)
    await setMode(own, 0o600)
    const { prepare, close } = await withDuckDb(own, async (connection) => {
      const reader = await connection.runAndReadAll('SELECT snapshot_id FROM chainlake_lake')
      const { files, tables } = await catalog.asOf({ snapshotId: Number(reader.getRows()[0]?.[0]) })
      return use({ connection, files, known: withBuiltIn(tables) })
    })
    const closeAll = async (): Promise<void> => {
      close()
      await remove()
    }
    return { viewsFile: own, folder: dirname(store.url('data')), store, prepare, close: closeAll }
  } catch (error) {
    await remove()
    throw error
  }
}

function preparing(
  catalog: Catalog,
  known: readonly Table[],
  { snapshot, tables }: CatalogFiles,
  planner: Awaited<ReturnType<typeof openQueryPlanner>>,
): RemoteViews['prepare'] {
  const { store } = catalog
  /** Earlier statements other than SELECT: they may have changed settings or views of the session. */
  let before = ''
  let shown: readonly string[] = []
  const isReachable = new WeakSet<DuckDBConnection>()
  const filesOf = (name: string) => tables.find((table) => table.name === name)?.files ?? []

  const wantedBy = async (sql: string): Promise<Wanted> => {
    const scans = before === '' ? await planner.scansOf(sql) : null
    const wanted = new Map<string, Set<string>>()
    if (scans === null) {
      before += `${sql}\n`
      for (const table of planner.mentioned(before)) wanted.set(table, new Set(filesOf(table).map(({ path }) => path)))
      return wanted
    }
    for (const { table, bounds } of scans) {
      const { files } = await catalog.tableFiles(table, { at: snapshot.snapshotId, bounds })
      wanted.set(table, new Set([...(wanted.get(table) ?? []), ...files.map(({ path }) => path)]))
    }
    return wanted
  }
  return async (connection, sql) => {
    if (!isReachable.has(connection)) {
      // Otherwise DuckDB would access the bucket itself if httpfs is installed, without credentials.
      await connection.run('SET autoload_known_extensions = false').catch(() => undefined)
      isReachable.add(connection)
    }
    const wanted = await wantedBy(sql)
    const held = await store.hold([...wanted.values()].flatMap((paths) => [...paths]))
    try {
      for (const table of known) {
        const files = filesOf(table.name)
        const chosen = wanted.get(table.name)
        if (chosen !== undefined) {
          const own = files.filter(({ path }) => chosen.has(path))
          await connection.run(tableViewScript(table, { address: store.url }, own))
        } else if (shown.includes(table.name)) {
          await connection.run(unreachedScript(table, tableViewScript(table, store, files)))
          // The macro of the script must not affect other views.
          await connection.run('DROP MACRO TABLE read_parquet')
        }
      }
      shown = [...wanted.keys()]
      return held
    } catch (error) {
      await held.release()
      throw error
    }
  }
}

/** `size`: each file has the recorded length. `checksum`: each file also has the recorded hash. */
type FileCheck = 'size' | 'checksum'

/**
 * Throws for a query that would read a file with another length, or other bytes, than recorded in the catalog: DuckDB reads some damaged
 * files without an error. Checks the files of all views that the query uses, directly or indirectly.
 */
function verifyReadFiles(lake: LakeLocation, store: Store, check: FileCheck): Source['verifyFiles'] {
  let recorded: ReturnType<typeof readRecorded> | undefined
  return async (connection, sql) => {
    const files = await filesReadBy(connection, sql, store)
    if (files.length === 0) return
    recorded ??= readRecorded(lake)
    await verifyEach(store, files, await recorded, check)
  }
}

async function filesReadBy(connection: DuckDBConnection, sql: string, store: Store): Promise<string[]> {
  const views = await readViews(connection)
  const ofTables = [...views].flatMap(([name, text]) => (text.includes('read_parquet') ? [name] : []))
  const names = mentionedViews(sql, views, ofTables)
  const read = ofTables.filter((name) => names.has(name))
  return read.flatMap((name) => parquetQueryPaths(views.get(name) ?? '')).map((path) => dataFileOf(store, path))
}

/** The recorded files. Empty for views without a catalog: their files cannot be checked. */
async function readRecorded(lake: LakeLocation): ReturnType<typeof recordedFiles> {
  const { endpoint, published } = lakePaths(lake)
  if (endpoint.publishesCopy && !existsSync(published)) return new Map()
  try {
    return await recordedFiles(lake)
  } catch (cause) {
    const facts = cause instanceof ChainlakeError ? cause.details : { reason: String(cause) }
    throw new StorageError('The files of the query could not be checked: the published catalog cannot be read.', {
      code: 'storage.views',
      details: facts,
      hint: `Rewrite it with the views: chainlake views --lake ${shellText(lake.folder)}`,
      cause,
    })
  }
}

async function verifyEach(
  store: Store,
  files: readonly string[],
  recorded: Awaited<ReturnType<typeof recordedFiles>>,
  check: FileCheck,
): Promise<void> {
  const sizes = await store.sizes(files)
  for (const [position, file] of files.entries()) {
    const expected = recorded.get(file)
    const bytes = sizes[position] ?? null
    if (bytes === null) throw missingFile({ file })
    if (expected === undefined) continue
    if (bytes !== expected.bytes) throw damagedFile(store, { file, bytes, 'bytes when written': expected.bytes })
    if (check === 'size' || expected.sha256 === null) continue
    const sha256 = await hashOf(store, file)
    if (sha256 !== expected.sha256) throw damagedFile(store, { file, sha256, 'sha256 when written': expected.sha256 })
  }
}

async function hashOf(store: Store, file: string): Promise<string> {
  const handle = await store.open(file)
  try {
    return await hashFile(handle)
  } finally {
    await handle.close()
  }
}
