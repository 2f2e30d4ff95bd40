import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, OtherSourceError } from '../../errors.ts'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import { givenStorage } from '../../store/given-storage.ts'

/** In the folder of a lake whose catalog is in PostgreSQL: where it is, so that nobody has to say it again. Without the password. */
const recordFile = 'catalog.json'

type CatalogRecord = { readonly format: 1; readonly postgres: string; readonly lakeId: string }

/**
 * The URL of the PostgreSQL database that keeps the catalog of a lake: as this process was told, or as the folder of the lake says. Null for
 * a catalog in a file.
 *
 * @throws ConfigError `lake.catalog` where the folder holds a catalog, and another one was asked for.
 */
export function postgresOf(lakeDir: string): string | null {
  const lake = resolve(lakeDir)
  const url = givenStorage(lake).catalog ?? readRecord(lake)?.postgres ?? null
  if (url !== null && existsSync(join(lake, 'catalog.ducklake')))
    throw new ConfigError('The catalog of this lake is a file in its folder.', {
      code: 'lake.catalog',
      details: { lake },
      hint: 'A lake stays where it was begun. Give a lake in PostgreSQL another folder.',
    })
  return url
}

/** Whether the folder is that of a lake in PostgreSQL, which was there already. */
export function isRecorded(lakeDir: string): boolean {
  return readRecord(resolve(lakeDir)) !== null
}

/**
 * Writes into the folder of a lake which database keeps its catalog, where that is not said yet.
 *
 * @throws OtherSourceError `lake.other-catalog` for the folder of another lake.
 */
export async function recordPostgres(lakeDir: string, url: string, lakeId: string): Promise<void> {
  const lake = resolve(lakeDir)
  const known = readRecord(lake)
  if (known !== null && known.lakeId !== lakeId)
    throw new OtherSourceError('The folder is that of another lake than the database.', {
      code: 'lake.other-catalog',
      details: { folder: lake, 'lake of the folder': known.lakeId, 'lake of the database': lakeId },
      hint: `Give the lake of the database a folder of its own. If the database was made anew on purpose, remove ${recordFile} from the folder.`,
    })
  const postgres = withoutPassword(url)
  if (known?.postgres === postgres) return
  await makeFolders(lake)
  await replaceFile(join(lake, recordFile), `${JSON.stringify({ format: 1, postgres, lakeId }, null, 2)}\n`)
}

function readRecord(lake: string): CatalogRecord | null {
  const path = join(lake, recordFile)
  if (!existsSync(path)) return null
  try {
    const read = JSON.parse(readFileSync(path, 'utf8'))
    if (read.format === 1 && typeof read.postgres === 'string' && typeof read.lakeId === 'string') return read
  } catch (cause) {
    throw notRead(path, cause)
  }
  throw notRead(path)
}

function notRead(path: string, cause?: unknown): ConfigError {
  return new ConfigError('What the folder says of its catalog cannot be read.', {
    code: 'lake.catalog',
    details: { path },
    hint: 'Remove the file and give --lake the URL of the database: it is written again.',
    cause,
  })
}

function withoutPassword(url: string): string {
  const parsed = new URL(url)
  parsed.password = ''
  parsed.searchParams.delete('password')
  return parsed.href
}
