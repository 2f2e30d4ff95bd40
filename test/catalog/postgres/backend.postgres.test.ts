import { describeBackend } from '../backend-contract.ts'
import { ask } from './database.ts'
import { newCatalog, openCatalogBackend } from './new-catalog.ts'

describeBackend('PostgreSQL', 'itself', async (paths) => {
  const url = await newCatalog(paths)
  const published = (sql: string) => ask(url, sql.replace('main.', 'public.'))
  return { backend: await openCatalogBackend(url), published }
})
