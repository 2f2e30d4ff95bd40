import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { CatalogError } from '../../errors.ts'
import { withDuckDb } from '../../lib/duckdb.ts'
import { fileIdentity, makeFolders, setMode, syncFile, syncFolder } from '../../lib/files.ts'
import { reachStep } from '../../lib/step.ts'
import type { Held } from '../../store/store.ts'
import { type LakePaths, relocateReaders } from '../place.ts'
import { type Backend, inTransaction, type Locks, type Session, type WaitOptions } from '../session.ts'
import {
  type Access,
  copyHeld,
  isLockConflict,
  isPermissionDenied,
  markSql,
  storageFailure,
  withCatalogLock,
  withCatalogLockOnce,
} from './catalog-lock.ts'
import { createSession } from './duckdb-session.ts'

/** The catalog in a DuckDB file. Each operation opens and closes the file, and waits while another process has it open. */
export function openDuckdbFile(paths: LakePaths, { waitMs }: { readonly waitMs: number }): Backend {
  const { catalog } = paths
  const options = (access: Access, { stop }: WaitOptions = {}) => ({ access, waitMs, stop })
  return {
    name: catalog,
    read: (work, waiting) => withCatalogLock(catalog, options('READ_ONLY', waiting), (session) => work(session)),
    write: (work, waiting) => withCatalogLock(catalog, options('READ_WRITE', waiting), (session) => work(session)),
    publish: (work, { dataPath = null, ...waiting } = {}) =>
      withCatalogLock(catalog, options('READ_WRITE', waiting), async (session, afterClose) => {
        const result = await work(session)
        return { result, identity: await publishCopy(session, paths, afterClose, dataPath) }
      }),
    published: () => fileIdentity(paths.published).catch(() => null),
    locks: folderLocks(paths.locks),
    shared: null,
  }
}

/**
 * Locks that the operating system frees when their process dies. A lock is an open DuckDB file in a folder. Unlike process ids, these
 * locks work across containers that share the volume.
 */
export function folderLocks(folder: string): Locks {
  const fileOf = (name: string) => {
    if (/[/\\\0]/.test(name))
      throw new CatalogError('The catalog names a run that cannot have a lock.', {
        code: 'catalog.path',
        details: { run: name },
        hint: 'Nothing was changed. chainlake records no such run: find out who else writes to this catalog, and restore a backup that you trust with chainlake restore.',
      })
    return join(folder, `${name}${suffix}`)
  }
  return {
    reach: 'machine',
    take: async (name) => takeLock(fileOf(name)),
    isHeld: async (name) => isLockHeld(fileOf(name)),
    async held() {
      const names: string[] = []
      for (const name of await namesIn(folder)) if (await isLockHeld(fileOf(name))) names.push(name)
      return names
    },
    async removeFree() {
      for (const name of await namesIn(folder))
        if (!(await isLockHeld(fileOf(name)))) await rm(fileOf(name), { force: true })
    },
  }
}

const suffix = '.duckdb'

async function namesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storageFailure(error, folder)
  }
}

/** Files of the locks of this process. The operating system would grant them to the same process a second time. */
const held = new Set<string>()

/** Takes a lock with a new file name, so that no other process can hold it. */
export async function takeLock(file: string): Promise<Held> {
  let instance: DuckDBInstance
  try {
    await mkdir(dirname(file), { recursive: true })
    instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '16MB' })
  } catch (error) {
    throw storageFailure(error, file)
  }
  held.add(file)
  return {
    release: async () => {
      if (!held.delete(file)) return
      instance.closeSync()
      await rm(file, { force: true })
    },
  }
}

/** Whether a live process holds the lock. The probe uses shared access, so that concurrent probes do not conflict. */
export async function isLockHeld(file: string): Promise<boolean> {
  if (held.has(file)) return true
  if (!existsSync(file)) return false
  try {
    const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '16MB', access_mode: 'READ_ONLY' })
    instance.closeSync()
    return false
  } catch (error) {
    // Without permission, the lock counts as held. Any other error means that the process died while it created the file.
    return isLockConflict(error) || isPermissionDenied(error)
  }
}

/** Prefix of the file name of a new catalog until it is complete. Recovery removes the drafts of dead processes. */
export const newCatalogPrefix = '.catalog.ducklake.new-'

/**
 * Creates the file of a new catalog and calls `fill` to fill it. It builds a draft and links it to the final name, so that no process
 * sees a partial catalog. If another process was faster, its catalog stays.
 *
 * @throws StorageError.
 */
export async function createCatalogFile(paths: LakePaths, fill: (session: Session) => Promise<void>): Promise<void> {
  const draft = join(paths.lake, `${newCatalogPrefix}${randomUUID()}`)
  try {
    await makeFolders(paths.lake)
    await buildCatalog(draft, fill)
    await putInPlace(draft, paths.catalog)
  } catch (error) {
    if (!existsSync(paths.catalog)) throw storageFailure(error, paths.lake)
  } finally {
    await rm(draft, { force: true })
    await rm(`${draft}.wal`, { force: true })
  }
  try {
    await syncFolder(paths.lake)
  } catch (error) {
    throw storageFailure(error, paths.lake)
  }
}

async function putInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    // The file system has no hard links.
    if (!existsSync(file)) await rename(draft, file)
  }
}

/** Creates the file of a catalog and calls `fill` to fill it. */
export async function buildCatalog(file: string, fill: (session: Session) => Promise<void>): Promise<void> {
  const build = async (connection: DuckDBConnection) => {
    const session = createSession(connection, async () => null)
    await inTransaction(session, async () => {
      await fill(session)
      await session.run(markSql(null))
    })
    await session.fold()
  }
  // Small blocks, because most tables are empty or small. With the default of 256 KiB, a new catalog would take 8 MiB.
  await withDuckDb(file, build, { memory_limit: '64MB', default_block_size: '65536' })
}

/** Name of the copy until it is complete. The catalog lock ensures that there is only one. */
export const publishedDraft = '.lake.ducklake.new'

/**
 * Copies the catalog, under its exclusive lock, to a read-only file and renames it to `lake.ducklake`. Readers that have the old copy open
 * keep it. They find the data files at `dataPath`; null: where the catalog says. Returns the identity of the copy.
 */
async function publishCopy(
  session: Session,
  paths: LakePaths,
  afterClose: Parameters<typeof copyHeld>[3],
  dataPath: string | null,
): Promise<string> {
  await session.fold()
  const draft = join(paths.lake, publishedDraft)
  await rm(draft, { force: true })
  try {
    await copyHeld(paths.catalog, draft, dataPath === null ? 0o444 : 0o644, afterClose)
    if (dataPath !== null) await relocateCopy(draft, dataPath)
    const identity = await fileIdentity(draft)
    reachStep('publish.after-catalog-copy')
    // A program that opened the copy for writing may have left it. DuckDB would replay it into the new copy.
    await rm(`${paths.published}.wal`, { force: true })
    await rename(draft, paths.published)
    await syncFolder(paths.lake)
    reachStep('publish.after-catalog-rename')
    return identity
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function relocateCopy(draft: string, dataPath: string): Promise<void> {
  await withCatalogLockOnce(draft, { access: 'READ_WRITE', waitMs: 0 }, async (session) => {
    await relocateReaders(session, dataPath)
    await session.fold()
  })
  await setMode(draft, 0o444)
  await syncFile(draft)
}

/**
 * Reads every row of a DuckDB file, so that DuckDB verifies the checksum of each block, and throws the error of DuckDB for a damaged one.
 * Returns the first value of the result of `query`.
 */
export async function readWhole(path: string, query = 'SELECT NULL'): Promise<DuckDBValue | undefined> {
  const read = async (connection: DuckDBConnection) => {
    await createSession(connection, async () => null).readThrough()
    return (await connection.runAndReadAll(query)).getRows()[0]?.[0]
  }
  return withDuckDb(path, read, { access_mode: 'READ_ONLY', memory_limit: '128MB' })
}
