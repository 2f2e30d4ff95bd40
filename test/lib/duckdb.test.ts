import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { answerChunks, queryChunks } from '../../src/lib/duckdb.ts'

const connection = await (await DuckDBInstance.create(':memory:')).connect()

async function rowsOf(chunks: AsyncIterable<{ readonly rowCount: number }>): Promise<number> {
  let rows = 0
  for await (const chunk of chunks) rows += chunk.rowCount
  return rows
}

/** Fails at a row far after the first chunks. */
const failing = "SELECT CASE WHEN i = 150000 THEN error('boom') ELSE i::VARCHAR END FROM range(200000) AS t(i)"

test('an answer is read to its end, with or without rows', async () => {
  expect(await rowsOf(queryChunks(connection, 'FROM range(100000)'))).toBe(100_000)
  expect(await rowsOf(queryChunks(connection, 'SELECT 1 WHERE false'))).toBe(0)
  expect(await rowsOf(queryChunks(connection, 'SHOW TABLES'))).toBe(0)
})

test('an answer that fails midway is refused with the message of DuckDB', async () => {
  await expect(rowsOf(queryChunks(connection, failing))).rejects.toThrow(/boom/)
  expect(await rowsOf(queryChunks(connection, 'SELECT 1'))).toBe(1)
})

test('an answer that fails midway is refused even if the cause is unknown', async () => {
  const result = await connection.stream(failing)
  const answer = rowsOf(answerChunks(result, async () => undefined))
  await expect(answer).rejects.toMatchObject({ code: 'storage.read', exitCode: 5 })
})

test('an interrupted answer is refused as incomplete', async () => {
  const result = await connection.stream('SELECT * FROM range(100000000)')
  const read = async () => {
    for await (const _ of answerChunks(result, async () => undefined)) connection.interrupt()
  }
  await expect(read()).rejects.toMatchObject({ code: 'storage.read' })
})
