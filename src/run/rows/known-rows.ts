import type { Table } from '../../define/index.ts'
import type { KnownFile, Lookup, Version } from '../../lookup/lookup.ts'

/** A row with its key (see `keyText`). */
type KeyedRow = { readonly key: string; readonly row: object }

type VersionRow = { readonly version_hash: string; observed_at: bigint }

/**
 * The rows that the files hold. In a table with versions, these are the rows that equal their latest version; every other row gets a later
 * time than its latest version, even if the clock was set back: versions are in the order of their commits.
 */
export async function knownRows<R extends KeyedRow>(
  lookup: Pick<Lookup, 'knownKeys' | 'latestVersions'>,
  table: Table,
  files: readonly KnownFile[],
  rows: readonly R[],
): Promise<ReadonlySet<R>> {
  const known = await lookup.knownKeys({ table, files, keys: rows.map(({ key }) => key) })
  if (table.history !== 'versions') return new Set(rows.filter(({ key }) => known.has(key)))
  const paths = files.map(({ path }) => path)
  const latest = await lookup.latestVersions({ table, files: paths, keys: [...known] })
  return new Set(rows.filter(({ key, row }) => isLatest(row as VersionRow, latest.get(key))))
}

function isLatest(row: VersionRow, latest: Version | undefined): boolean {
  if (latest === undefined) return false
  if (latest.hash === row.version_hash) return true
  if (latest.observedAt >= row.observed_at) row.observed_at = latest.observedAt + 1n
  return false
}
