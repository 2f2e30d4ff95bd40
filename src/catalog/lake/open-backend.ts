import { openDuckdbFile } from '../duckdb/duckdb-file.ts'
import { postgresOf } from '../place/catalog-place.ts'
import type { LakePaths } from '../place/paths.ts'
import { openPostgres } from '../postgres/postgres-backend.ts'
import { openServer } from '../postgres/server.ts'
import type { Backend } from '../session/backend.ts'

/** Opens the backend of a lake: the file in its folder, or a database. It does not connect yet. `stop` shortens all waits. */
export async function openBackend(
  paths: LakePaths,
  options: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
): Promise<Backend> {
  const url = postgresOf(paths.lake)
  return url === null ? openDuckdbFile(paths, options) : openPostgres(await openServer(url), options)
}
