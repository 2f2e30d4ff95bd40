import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { lakePaths, type RecordedFile, recordedFiles } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { parquetQueryPaths } from '../../define/parquet-query.ts'
import { ChainlakeError, StorageError } from '../../errors.ts'
import { hashFile } from '../../lib/files/hash-file.ts'
import type { Store } from '../../store/store.ts'
import { damagedFile, dataFileOf, missingFile } from '../../views/file-failure.ts'
import { mentionedViews, readViews } from '../../views/mentioned-views.ts'
import type { Source } from '../../views/query.ts'

/** `size`: each file has the recorded length. `checksum`: each file also has the recorded hash. */
export type FileCheck = 'size' | 'checksum'

/**
 * Throws for a query that would read a file with another length, or other bytes, than recorded in the catalog: DuckDB reads some damaged
 * files without an error. Checks the files of all views that the query uses, directly or indirectly.
 */
export function verifyReadFiles(lake: LakeLocation, store: Store, check: FileCheck): Source['verifyFiles'] {
  let recorded: Promise<ReadonlyMap<string, RecordedFile>> | undefined
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
async function readRecorded(lake: LakeLocation): Promise<ReadonlyMap<string, RecordedFile>> {
  const { endpoint, published } = lakePaths(lake)
  if (endpoint.publishesCopy && !existsSync(published)) return new Map()
  try {
    return await recordedFiles(lake)
  } catch (cause) {
    const facts = cause instanceof ChainlakeError ? cause.details : { reason: String(cause) }
    throw new StorageError('The files of the query could not be checked: the published catalog cannot be read.', {
      code: 'storage.views',
      details: facts,
      hint: `Rewrite it with the views: chainlake views --lake ${lake.folder}`,
      cause,
    })
  }
}

async function verifyEach(
  store: Store,
  files: readonly string[],
  recorded: ReadonlyMap<string, RecordedFile>,
  check: FileCheck,
): Promise<void> {
  const sizes = await store.sizes(files)
  for (const [position, file] of files.entries()) {
    const expected = recorded.get(file)
    const bytes = sizes[position] ?? null
    if (bytes === null) throw missingFile(file)
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
