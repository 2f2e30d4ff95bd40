import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, OtherSourceError } from '../../errors.ts'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import type { GivenStorage } from '../../store/given-storage.ts'

/** File in the folder of a lake with a catalog in PostgreSQL. It records the URL of the database, without the password. */
const recordFile = 'catalog.json'

type CatalogRecord = { readonly format: 1; readonly postgres: string; readonly lakeId: string }

/**
 * The URL of the database that holds the catalog of a lake, from the options of the user or from the folder of the lake.
 * Null for a catalog in a file.
 *
 * @throws ConfigError `lake.catalog` when the folder holds a catalog file although a database was configured.
 */
export function databaseOf(lake: string, given: GivenStorage): string | null {
  const url = given.catalog ?? readRecord(lake)?.postgres ?? null
  if (url !== null && existsSync(join(lake, 'catalog.ducklake')))
    throw new ConfigError('The catalog of this lake is a file in its folder.', {
      code: 'lake.catalog',
      details: { lake },
      hint: 'A catalog cannot move between a file and PostgreSQL. Use another folder for a lake with a catalog in PostgreSQL.',
    })
  return url
}

/** Whether the folder belongs to an existing lake with a catalog in PostgreSQL. */
export function isRecorded(lakeDir: string): boolean {
  return readRecord(resolve(lakeDir)) !== null
}

/**
 * Records in the folder of a lake which database holds its catalog, if it is not recorded yet.
 *
 * @throws OtherSourceError `lake.other-catalog` for the folder of another lake.
 */
export async function recordPostgres(lakeDir: string, url: string, lakeId: string): Promise<void> {
  const lake = resolve(lakeDir)
  const known = readRecord(lake)
  if (known !== null && known.lakeId !== lakeId)
    throw new OtherSourceError('The folder and the database belong to different lakes.', {
      code: 'lake.other-catalog',
      details: { folder: lake, 'lake of the folder': known.lakeId, 'lake of the database': lakeId },
      hint: `Use another folder for the lake of this database. If you recreated the database on purpose, remove ${recordFile} from the folder.`,
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
  return new ConfigError('The record of where the catalog is cannot be read.', {
    code: 'lake.catalog',
    details: { path },
    hint: 'Remove the file and set --lake to the URL of the database. chainlake then writes the file again.',
    cause,
  })
}

function withoutPassword(url: string): string {
  const parsed = new URL(url)
  parsed.password = ''
  parsed.searchParams.delete('password')
  return parsed.href
}
