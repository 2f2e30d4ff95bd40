import { CatalogError, UnknownVersionError } from '../../errors.ts'
import { inTransaction, type Session } from '../session/session.ts'

/** The version of the DuckLake specification that chainlake writes. It refuses all others. */
export const ducklakeVersion = '1.0'

/** Upgrades the tables of the schema `chainlake` by one version, inside a transaction. */
export type Upgrade = (session: Session) => Promise<void>

/** The oldest known version of the tables in the schema `chainlake`: that of the first release. */
const oldestVersion = 13
/** The first upgrade starts at `oldestVersion`, the next one at the version after it, and so on. `chainlakeTables` declares the latest version. */
const upgrades: readonly Upgrade[] = []
/** Current version of the tables in the schema `chainlake`. */
export const chainlakeVersion = oldestVersion + upgrades.length

/**
 * Refuses a catalog of an unknown version, before any other read or write. Returns the version of the tables in the schema `chainlake`.
 */
export async function checkVersions(session: Session, file: string): Promise<number> {
  const found = await readVersions(session, file)
  if (found.ducklake !== ducklakeVersion)
    throw unknownVersion('DuckLake', found.ducklake ?? 'none', ducklakeVersion, file)
  const { chainlake } = found
  if (chainlake === null || chainlake > chainlakeVersion)
    throw unknownVersion('chainlake', String(chainlake ?? 'none'), String(chainlakeVersion), file)
  if (chainlake < oldestVersion) throw earlierBuild(chainlake, file)
  return chainlake
}

/** Upgrades the tables of the schema `chainlake` from `version` to the newest version in one transaction. */
export async function upgrade(session: Session, version: number, steps = upgrades): Promise<void> {
  const missing = steps.slice(version - oldestVersion)
  if (missing.length === 0) return
  await inTransaction(session, async () => {
    for (const step of missing) await step(session)
    await session.run('UPDATE chainlake.version SET version = $1', [version + missing.length])
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
      hint: 'Nothing was changed. Set --lake to the folder of a lake, or to an empty folder.',
      cause: error,
    })
  }
}

function unknownVersion(what: string, found: string, known: string, file: string): UnknownVersionError {
  return new UnknownVersionError(
    `The catalog of the lake has ${what} version ${found}; this chainlake supports ${known}.`,
    {
      details: { file },
      hint: 'Nothing was changed. Use the version of chainlake that wrote the lake, or a newer one.',
    },
  )
}

function earlierBuild(found: number, file: string): UnknownVersionError {
  return new UnknownVersionError('This lake was written by a chainlake build before the first release.', {
    code: 'catalog.earlier-build',
    details: { file, 'version of the catalog': found, 'oldest known version': oldestVersion },
    hint: 'Nothing was changed. Export again into a new folder: chainlake run with another --lake.',
  })
}
