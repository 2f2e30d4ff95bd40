import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** The server that tests may make databases on. */
const server = process.env['CHAINLAKE_POSTGRES'] ?? ''

/** Makes an empty database and returns its URL. */
export async function newDatabase(): Promise<string> {
  const name = `lake_${randomUUID().replaceAll('-', '')}`
  await ask(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Asks a database once. */
export async function ask(url: string, sql: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}
