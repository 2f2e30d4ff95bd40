import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, type CatalogFiles, hasCatalog, openCatalog } from '../../catalog/catalog.ts'
import { hasDataFolder, openFolderStore } from '../../store/folder-store.ts'
import { givenStorage } from '../../store/given-storage.ts'
import type { Held } from '../../store/store.ts'
import type { RemoteViews, Source } from '../../views/query.ts'
import { openQueryPlanner, type QueryPlanner } from '../../views/query-planner.ts'
import { tableViewScript, unreachedScript } from '../../views/table-view.ts'
import { type FileCheck, verifyReadFiles } from './verify-read-files.ts'

/** What a query reads: paths of files by the names of their tables. */
type Wanted = ReadonlyMap<string, ReadonlySet<string>>

export type ViewsOptions = {
  /** Views to read instead of `lake.duckdb`. */
  readonly viewsFile?: string | undefined
  /** How the files of a query are checked before it runs; the sizes of files that are fetched always are. */
  readonly check?: FileCheck
}

/** How the views of a lake are read: as they are, or, where its files are in a bucket, by fetching what queries need. */
export async function viewsOf(lakeDir: string, { viewsFile, check = 'size' }: ViewsOptions = {}): Promise<Source> {
  const path = viewsFile ?? join(lakeDir, 'lake.duckdb')
  const here = { viewsFile, verifyFiles: verifyReadFiles(lakeDir, openFolderStore(lakeDir), check) }
  // Opening the catalog refuses a place that is not the lake's.
  const { data, dataFolder } = givenStorage(lakeDir)
  if (data !== undefined || dataFolder !== undefined) await openCatalog(lakeDir, declaredTables)
  // What is not there `openLake` says.
  if (hasDataFolder(lakeDir) || !existsSync(path) || !hasCatalog(lakeDir)) return here
  const catalog = await openCatalog(lakeDir, declaredTables)
  if (catalog.store.place.kind !== 's3') return here
  const remote = await openRemoteViews(catalog, path)
  return check === 'size' ? { remote } : { remote, verifyFiles: verifyReadFiles(lakeDir, catalog.store, check) }
}

/**
 * Views of a lake whose files are in a bucket: of each query the files are fetched that it needs, by its filters and the statistics of the
 * catalog; where that is not surely known, all files of the tables that it names. Over others the views stay those of the bucket, which nothing
 * here can read: what was overlooked fails, and is never taken for empty. `viewsFile` are the views to show.
 */
async function openRemoteViews(catalog: Catalog, viewsFile: string): Promise<RemoteViews> {
  const { store } = catalog
  const folder = await mkdtemp(join(tmpdir(), 'chainlake-views-'))
  const own = join(folder, 'lake.duckdb')
  let planner: QueryPlanner | undefined
  const close = async (): Promise<void> => {
    planner?.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await copyFile(viewsFile, own)
    await chmod(own, 0o600)
    const opened = await openCopy(own)
    const files = await catalog.filesAsOf({ snapshotId: opened.snapshotId })
    const filled = new Map(files.tables.flatMap((table) => (table.files.length > 0 ? [[table.name, table]] : [])))
    planner = await openQueryPlanner(
      opened.connection,
      declaredTables.filter(({ name }) => filled.has(name)),
    )
    opened.close()
    const prepare = preparing(catalog, files, planner)
    return { viewsFile: own, folder: dirname(store.url('data')), store, prepare, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openCopy(path: string) {
  const instance = await DuckDBInstance.create(path, { autoinstall_known_extensions: 'false', threads: '1' })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll('SELECT snapshot_id FROM chainlake_lake')
  const close = (): void => {
    connection.closeSync()
    instance.closeSync()
  }
  return { connection, snapshotId: Number(reader.getRows()[0]?.[0]), close }
}

function preparing(
  catalog: Catalog,
  { snapshot, tables }: CatalogFiles,
  planner: QueryPlanner,
): RemoteViews['prepare'] {
  const { store } = catalog
  /** What was run before that was no plain SELECT: settings and views of the session may mean another thing then. */
  let before = ''
  let shown: readonly string[] = []
  const isReachable = new WeakSet<DuckDBConnection>()

  const wantedBy = async (sql: string): Promise<Wanted> => {
    const scans = before === '' ? await planner.scansOf(sql) : null
    const wanted = new Map<string, Set<string>>()
    if (scans === null) {
      before += `${sql}\n`
      for (const table of planner.mentioned(before)) wanted.set(table, new Set(pathsOf(tables, table)))
      return wanted
    }
    for (const { table, bounds } of scans) {
      const found = await catalog.filesWithin({ table, snapshotId: snapshot.snapshotId, bounds })
      wanted.set(table, new Set([...(wanted.get(table) ?? []), ...found]))
    }
    return wanted
  }
  return async (connection, sql) => {
    if (!isReachable.has(connection)) {
      // Else it would ask the bucket itself where httpfs is installed, without the settings for it.
      await connection.run('SET autoload_known_extensions = false').catch(() => undefined)
      isReachable.add(connection)
    }
    const wanted = await wantedBy(sql)
    const held = await holdAll(catalog, wanted)
    try {
      for (const table of declaredTables) {
        const files = tables.find(({ name }) => name === table.name)?.files ?? []
        const chosen = wanted.get(table.name)
        if (chosen !== undefined) {
          const own = files.filter(({ path }) => chosen.has(path))
          await connection.run(tableViewScript(table, { address: store.url }, own))
        } else if (shown.includes(table.name))
          await hide(connection, unreachedScript(table, tableViewScript(table, store, files)))
      }
      shown = [...wanted.keys()]
      return held
    } catch (error) {
      await held.release()
      throw error
    }
  }
}

/** Puts the view of the bucket back. The macro that it is made with must not be there for others. */
async function hide(connection: DuckDBConnection, script: string): Promise<void> {
  await connection.run(script)
  await connection.run('DROP MACRO TABLE read_parquet')
}

function pathsOf(tables: CatalogFiles['tables'], name: string): string[] {
  return tables.find((table) => table.name === name)?.files.map(({ path }) => path) ?? []
}

async function holdAll({ store }: Catalog, wanted: Wanted): Promise<Held> {
  return store.readable([...wanted.values()].flatMap((paths) => [...paths]))
}
