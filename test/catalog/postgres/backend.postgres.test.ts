import { describeBackend } from '../backend-contract.ts'
import { ask, newDatabase } from './database.ts'

describeBackend('PostgreSQL', {
  publishing: 'itself',
  newUrl: newDatabase,
  published: ({ endpoint }, sql) => ask(endpoint.url ?? '', sql.replace('main.', 'public.')),
})
