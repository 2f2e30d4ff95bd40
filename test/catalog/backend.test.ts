import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll } from 'vitest'
import { catalogKinds } from '../../src/catalog/lake.ts'
import { describeBackend } from './backend-contract.ts'
import { closeMemoryCatalogs, memoryCatalog, publishedInMemory } from './memory-backend.ts'

afterAll(closeMemoryCatalogs)

describeBackend('a DuckDB file', {
  publishing: 'copies',
  newUrl: async () => null,
  published: async (paths, sql) => {
    const instance = await DuckDBInstance.create(paths.published, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS()
    connection.closeSync()
    instance.closeSync()
    return rows
  },
})

catalogKinds['memory'] = memoryCatalog
let catalogs = 0
describeBackend('memory', {
  publishing: 'copies',
  newUrl: async () => `memory://catalog/${++catalogs}`,
  published: (paths, sql) => publishedInMemory(paths.endpoint.url ?? '', sql),
})
