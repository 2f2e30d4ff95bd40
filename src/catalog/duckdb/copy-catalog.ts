import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { ChainlakeError, StorageError } from '../../errors.ts'
import { withDuckDb } from '../../lib/duckdb.ts'
import { copyToNew, diskRefusal } from '../../lib/files.ts'
import type { LakeSnapshot } from '../../model.ts'
import type { StoreAddress } from '../../store/store.ts'
import { type HiddenFile, readEarlierFiles, readVisibleFiles, type VisibleFile } from '../lost-files.ts'
import { readStorage } from '../place.ts'
import { chainlakeTables, checkVersions, ducklakeTables } from '../schema.ts'
import { type Cell, latestSnapshot, type Session } from '../session.ts'
import { copyHeld, walBytes, walFile, withCatalogLock, withCatalogLockOnce } from './catalog-lock.ts'
import { buildCatalog } from './duckdb-file.ts'
import { createSession } from './duckdb-session.ts'

/** The contents of a catalog that a backup needs. */
export type CatalogContents = {
  readonly snapshot: LakeSnapshot
  readonly files: readonly VisibleFile[]
  /** Replaced files: earlier snapshots show them, or they wait for removal. */
  readonly earlier: readonly HiddenFile[]
  /** Null: the data files are in the folder of the lake. */
  readonly storage: StoreAddress | null
}

export async function readContents(session: Session): Promise<CatalogContents> {
  return {
    snapshot: await latestSnapshot(session),
    files: await readVisibleFiles(session),
    earlier: await readEarlierFiles(session),
    storage: await readStorage(session),
  }
}

/**
 * Copies a catalog and its write-ahead file, in the state between two commits, to a new file, and folds both into one there. It only
 * reads the catalog itself, so that it works on a full or read-only disk.
 */
export async function copyCatalog(from: string, to: string, waitMs: number): Promise<CatalogContents> {
  await withCatalogLock(from, { access: 'READ_ONLY', waitMs }, async (session, afterClose) => {
    await checkVersions(session, from)
    await writing(to, async () => {
      await copyHeld(from, to, 0o644, afterClose)
      if (walBytes(from) > 0) await copyToNew(walFile(from), walFile(to), 0)
    })
  })
  await chmod(walFile(to), 0o644).catch(() => undefined)
  return withCatalogLockOnce(to, { access: 'READ_WRITE', waitMs }, async (session) => {
    await checkVersions(session, to)
    if (walBytes(to) > 0) await session.fold()
    return readContents(session)
  })
}

/** Turns errors of the file system while a copy is written into errors about the copy. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ChainlakeError || !(error instanceof Error)) throw error
    throw new StorageError(`The copy of the catalog cannot be written: ${error.message}`, {
      code: diskRefusal(error, path)?.code ?? 'storage.copy',
      details: { path },
      hint: 'Nothing was changed. Choose a folder that this user may write to, on a disk with free space.',
      cause: error,
    })
  }
}

export async function removeCatalog(file: string): Promise<void> {
  await rm(file, { force: true })
  await rm(walFile(file), { force: true })
}

export async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') }
}

/** Number of rows to fetch at once. */
const rowsAtOnce = 20_000

/** Copies the catalog of a server session, which sees one moment, to a new DuckDB file. */
export function copyToFile(from: Session, file: string): Promise<void> {
  return buildCatalog(file, async (to) => {
    await to.run('CREATE SCHEMA chainlake')
    for (const [schema, tables] of [
      ['main', ducklakeTables],
      ['chainlake', chainlakeTables],
    ] as const)
      for (const [name, declared] of Object.entries(tables)) {
        await to.run(`CREATE TABLE ${schema}.${name}(${declared})`)
        await copyTable(from, to, { schema, name, columns: declared.split(', ').map(columnOf) })
      }
  })
}

type Column = { readonly name: string; readonly type: string }
type CopiedTable = { readonly schema: string; readonly name: string; readonly columns: readonly Column[] }

/** Keeps the order of rows: `chainlake.file` has row ids, all other tables are sorted by their columns. */
async function copyTable(from: Session, to: Session, { schema, name, columns }: CopiedTable): Promise<void> {
  const selected = columns.map(({ name, type }) =>
    isPlain(type) || type === 'VARCHAR[]' ? `"${name}"` : `"${name}"::VARCHAR AS "${name}"`,
  )
  const order =
    name === 'file' && schema === 'chainlake' ? 'rowid' : columns.map((_, position) => position + 1).join(', ')
  await from.run(
    `DECLARE rows_of_table CURSOR FOR SELECT ${selected.join(', ')} FROM ${schema}.${name} ORDER BY ${order}`,
  )
  const values = columns.map(({ type }, position) => (isPlain(type) ? `$${position + 1}` : `$${position + 1}::${type}`))
  for (;;) {
    const rows = await from.rows(`FETCH ${rowsAtOnce} FROM rows_of_table`)
    if (rows.length === 0) break
    const cells = rows.map((row) => columns.map((column) => row[column.name] as Cell))
    if (columns.every(({ type }) => isPlain(type))) await to.append(schema, name, cells)
    else for (const row of cells) await to.run(`INSERT INTO ${schema}.${name} VALUES (${values.join(', ')})`, row)
  }
  await from.run('CLOSE rows_of_table')
}

/** A declared column, such as `"key" VARCHAR NOT NULL`. */
function columnOf(declared: string): Column {
  const [, name = '', type = ''] = /^"?(\w+)"? (.+?)(?: NOT NULL| PRIMARY KEY)?$/.exec(declared) ?? []
  return { name, type }
}

function isPlain(type: string): boolean {
  return ['VARCHAR', 'BIGINT', 'BOOLEAN'].includes(type)
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
