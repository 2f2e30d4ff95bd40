import { CatalogError, UnknownVersionError } from '../errors.ts'
import { chainlakeTables, laterColumns } from './chainlake-tables.ts'
import { inTransaction, type Session } from './session.ts'

/** The DuckLake specification that this software writes; it refuses any other. */
export const ducklakeVersion = '1.0'
/** Version of the tables in the schema `chainlake`. */
export const chainlakeVersion = 9
/** The oldest one that `upgrade` takes further. */
const oldestVersion = 1

/**
 * Refuses a catalog that this software does not know, before anything is read from it or written to it; returns the version of the tables
 * in the schema `chainlake`.
 */
export async function checkVersions(session: Session, file: string): Promise<number> {
  const found = await readVersions(session, file)
  if (found.ducklake !== ducklakeVersion)
    throw unknownVersion('DuckLake', found.ducklake ?? 'none', ducklakeVersion, file)
  const { chainlake } = found
  if (chainlake === null || chainlake < oldestVersion || chainlake > chainlakeVersion)
    throw unknownVersion('chainlake', String(chainlake ?? 'none'), String(chainlakeVersion), file)
  return chainlake
}

/** Brings the tables of the schema `chainlake` to this version in one transaction: adds what is missing. */
export async function upgrade(session: Session, version: number): Promise<void> {
  if (version === chainlakeVersion) return
  await inTransaction(session, async () => {
    for (const [name, columns] of Object.entries(chainlakeTables))
      await session.run(`CREATE TABLE IF NOT EXISTS chainlake.${name}(${session.dialect.columns(columns)})`)
    for (const [name, columns] of Object.entries(laterColumns))
      for (const column of columns)
        await session.run(`ALTER TABLE chainlake.${name} ADD COLUMN IF NOT EXISTS ${session.dialect.columns(column)}`)
    await session.run('UPDATE chainlake.version SET version = $1', [chainlakeVersion])
  })
}

async function readVersions(session: Session, file: string) {
  try {
    const [row] = await session.rows(
      "SELECT (SELECT value FROM main.ducklake_metadata WHERE key = 'version' AND scope IS NULL) AS ducklake, (SELECT max(version) FROM chainlake.version) AS chainlake",
    )
    return { ducklake: row?.['ducklake'] as string | null, chainlake: row?.['chainlake'] as number | null }
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Catalog Error: '))) throw error
    throw new CatalogError('This DuckDB file is not the catalog of a lake.', {
      code: 'catalog.unreadable',
      details: { file },
      hint: 'Give --lake the folder of a lake, or an empty folder. Nothing was changed.',
      cause: error,
    })
  }
}

function unknownVersion(what: string, found: string, known: string, file: string): UnknownVersionError {
  return new UnknownVersionError(`The lake has a catalog of ${what} version ${found}; this version knows ${known}.`, {
    details: { file },
    hint: 'Use the version of chainlake that wrote the lake, or a newer one. Nothing was changed.',
  })
}
