import { openDuckdbFile } from '../duckdb/duckdb-file.ts'
import { postgresOf } from '../place/catalog-place.ts'
import type { LakePaths } from '../place/paths.ts'
import { openPostgres } from '../postgres/postgres-backend.ts'
import { openServer } from '../postgres/server.ts'
import type { Backend } from '../session/backend.ts'

/** What keeps the catalog of a lake: the file in its folder, or a database. Nothing is asked yet. After `stop` it is given up soon. */
export async function openBackend(
  paths: LakePaths,
  options: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
): Promise<Backend> {
  const url = postgresOf(paths.lake)
  return url === null ? openDuckdbFile(paths, options) : openPostgres(await openServer(url), options)
}
