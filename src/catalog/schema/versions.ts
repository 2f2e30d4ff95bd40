import { CatalogError, UnknownVersionError } from '../../errors.ts'
import { inTransaction, type Session } from '../session/session.ts'

/** The DuckLake specification that this software writes; it refuses any other. */
export const ducklakeVersion = '1.0'

/** Brings the tables of the schema `chainlake` one version further, inside of a transaction. */
export type Upgrade = (session: Session) => Promise<void>

/** The oldest version of the tables in the schema `chainlake` that is known: that of the first release. */
const oldestVersion = 9
/** The first one takes `oldestVersion` to the next version, and so on. `chainlakeTables` declares the tables as the last one leaves them. */
const upgrades: readonly Upgrade[] = []
/** Version of the tables in the schema `chainlake`. */
export const chainlakeVersion = oldestVersion + upgrades.length

/**
 * Refuses a catalog that this software does not know, before anything is read from it or written to it; returns the version of the tables
 * in the schema `chainlake`.
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

/** Brings the tables of the schema `chainlake` to the newest version in one transaction, with the upgrades that follow theirs. */
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

function earlierBuild(found: number, file: string): UnknownVersionError {
  return new UnknownVersionError('A build of chainlake from before the first release wrote this lake.', {
    code: 'catalog.earlier-build',
    details: { file, 'version of the catalog': found, 'oldest known version': oldestVersion },
    hint: 'Nothing was changed. Export again into a new folder: chainlake run with another --lake.',
  })
}
