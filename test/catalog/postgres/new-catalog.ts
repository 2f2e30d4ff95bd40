import { mkdirSync } from 'node:fs'
import { writeEmptyCatalog } from '../../../src/catalog/lake.ts'
import type { LakePaths } from '../../../src/catalog/place.ts'
import { createPostgresCatalog, openPostgres } from '../../../src/catalog/postgres/postgres-backend.ts'
import { openServer } from '../../../src/catalog/postgres/server.ts'
import type { Backend } from '../../../src/catalog/session.ts'
import { newDatabase } from './database.ts'

/** Creates an empty catalog in a new database and returns its URL. */
export async function newCatalog(paths: LakePaths): Promise<string> {
  mkdirSync(paths.lake)
  const url = await newDatabase()
  await createPostgresCatalog(await openServer(url), (session) => writeEmptyCatalog(session, paths))
  return url
}

/** The backend of a catalog. Each URL, for example with a different `application_name`, has its own connections. */
export async function openCatalogBackend(url: string): Promise<Backend> {
  return openPostgres(await openServer(url), { waitMs: 20_000 })
}
