import { mkdirSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll } from 'vitest'
import { openDuckdbFile } from '../../../src/catalog/duckdb/duckdb-file.ts'
import { createEmptyLake } from '../../../src/catalog/lake/create-lake.ts'
import { describeBackend } from '../backend-contract.ts'
import { openMemoryBackend } from '../memory-backend.ts'

const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

describeBackend('a DuckDB file', 'copies', async (paths) => {
  await createEmptyLake(paths.lake)
  const published = async (sql: string) => {
    const instance = await DuckDBInstance.create(paths.published, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS()
    connection.closeSync()
    instance.closeSync()
    return rows
  }
  return { backend: openDuckdbFile(paths, { waitMs: 5_000 }), published }
})

describeBackend('memory', 'copies', async (paths) => {
  mkdirSync(paths.lake)
  const { close, ...opened } = await openMemoryBackend(paths)
  closing.push(close)
  return opened
})
