import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { rowsOf } from './test-lake.ts'

const zones = ['UTC', 'America/New_York', 'Pacific/Kiritimati']

/** The rows of a query by `chainlake sql`, by `lake.duckdb` and by the text of `views.sql`, each in three time zones. */
export async function rowsInZones(lake: string, sql: string): Promise<Record<string, unknown>[][]> {
  const answers: Record<string, unknown>[][] = []
  for (const zone of zones) answers.push(await rowsOf(lake, `SET TimeZone = '${zone}'; ${sql}`))
  answers.push(...(await rowsOfDatabase(join(lake, 'lake.duckdb'), sql, async () => undefined)))
  const text = readFileSync(join(lake, 'views.sql'), 'utf8')
  answers.push(...(await rowsOfDatabase(':memory:', sql, (connection) => connection.run(text))))
  return answers
}

async function rowsOfDatabase(
  path: string,
  sql: string,
  prepare: (connection: DuckDBConnection) => Promise<unknown>,
): Promise<Record<string, unknown>[][]> {
  const instance = await DuckDBInstance.create(path, path === ':memory:' ? {} : { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    await prepare(connection)
    const answers: Record<string, unknown>[][] = []
    for (const zone of zones) {
      await connection.run(`SET TimeZone = '${zone}'`)
      answers.push((await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[])
    }
    return answers
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
