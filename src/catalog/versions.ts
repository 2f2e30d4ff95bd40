import { CatalogError, UnknownVersionError } from '../errors.ts'
import type { Session } from './session.ts'

/** The DuckLake specification that this software writes; it refuses any other. */
export const ducklakeVersion = '1.0'
/** Version of the tables in the schema `chainlake`. */
export const chainlakeVersion = 1

/** Refuses a catalog that this software does not know, before anything is read from it or written to it. */
export async function checkVersions(session: Session, file: string): Promise<void> {
  const found = await readVersions(session, file)
  if (found.ducklake !== ducklakeVersion)
    throw unknownVersion('DuckLake', found.ducklake ?? 'none', ducklakeVersion, file)
  if (found.chainlake !== chainlakeVersion)
    throw unknownVersion('chainlake', String(found.chainlake ?? 'none'), String(chainlakeVersion), file)
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
