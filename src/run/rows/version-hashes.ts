import type { RowsOf, Tables } from '../../define/index.ts'
import { versionHash } from '../../lookup/version-hash.ts'

type VersionRow = { version_hash: string }

/** Sets the hashes for the comparison of versions in the given rows. */
export function versionHashes(tables: Tables): (rows: RowsOf<Tables>) => RowsOf<Tables> {
  const versioned = Object.entries(tables).filter(([, { history }]) => history === 'versions')
  const hashes = versioned.map(([name, table]) => ({ name, hashOf: versionHash(table) }))
  return (rows) => {
    for (const { name, hashOf } of hashes) for (const row of rows[name] as VersionRow[]) row.version_hash = hashOf(row)
    return rows
  }
}
