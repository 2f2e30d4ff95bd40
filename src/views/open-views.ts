import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { ConfigError, StorageError } from '../errors.ts'

/** Opens a file of views. Throws `StorageError`. */
export async function openViews(path: string, access: 'READ_ONLY' | 'READ_WRITE'): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, { access_mode: access, autoinstall_known_extensions: 'false' })
  } catch (cause) {
    throw unreadableViews(path, cause)
  }
}

function unreadableViews(file: string, cause: unknown): StorageError {
  return new StorageError('The views cannot be opened.', {
    code: 'storage.views',
    details: { file, reason: cause instanceof Error ? cause.message : String(cause) },
    hint: 'Rewrite them with chainlake views.',
    cause,
  })
}

/**
 * Refuses views that were written for another folder: they name the files of that folder, and would answer from them.
 *
 * @throws ConfigError `query.other-place`.
 */
export async function refuseOtherPlace(connection: DuckDBConnection, folder: string): Promise<void> {
  const reader = await connection.runAndReadAll('SELECT lake_path FROM chainlake_lake').catch((cause: unknown) => {
    throw unreadableViews(join(folder, 'lake.duckdb'), cause)
  })
  const written = String(reader.getRows()[0]?.[0])
  if (written === folder || (await isSameFolder(written, folder))) return
  throw new ConfigError('The views of this lake read the files of another folder.', {
    code: 'query.other-place',
    details: { lake: folder, 'the views read': written },
    hint: `The lake was moved or copied. Rewrite its views: chainlake views --lake ${folder}`,
  })
}

/** Links may lead to one folder under several names. */
async function isSameFolder(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map((path) => realpath(path).catch(() => null)))
  return first !== null && first === second
}
