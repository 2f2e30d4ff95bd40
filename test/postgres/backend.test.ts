import { mkdirSync } from 'node:fs'
import { writeEmptyCatalog } from '../../src/catalog/create-lake.ts'
import { createPostgresCatalog } from '../../src/catalog/postgres/create-catalog.ts'
import { openPostgres } from '../../src/catalog/postgres/postgres-backend.ts'
import { openServer } from '../../src/catalog/postgres/server.ts'
import { describeBackend } from '../catalog/backend-contract.ts'
import { ask, newDatabase } from './database.ts'

describeBackend('PostgreSQL', 'itself', async (paths) => {
  mkdirSync(paths.lake)
  const url = await newDatabase()
  const server = await openServer(url)
  await createPostgresCatalog(server, (session) => writeEmptyCatalog(session, paths))
  const published = (sql: string) => ask(url, sql.replace('main.', 'public.'))
  return { backend: openPostgres(server, { waitMs: 5_000 }), published }
})
