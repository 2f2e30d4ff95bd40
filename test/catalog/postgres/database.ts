import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { tables } from '../../../schemas/index.ts'
import { newLake } from '../../run/lake-run.ts'
import { createLake } from '../lake.ts'

/** The server on which tests may create databases. */
const server = process.env['CHAINLAKE_POSTGRES'] ?? ''
// The folder of a lake does not contain the password.
process.env['PGPASSWORD'] = new URL(server).password

/** Creates an empty database and returns its URL. */
export async function newDatabase(): Promise<string> {
  const name = `lake_${randomUUID().replaceAll('-', '')}`
  await ask(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export type PostgresLake = { readonly folder: string; readonly url: string }

/** The folder of a lake and the database of its catalog, without the lake. */
export async function newPlace(): Promise<PostgresLake> {
  return { folder: newLake(), url: await newDatabase() }
}

/** An empty lake. A command that knows its folder finds its catalog. */
export async function newPostgresLake(): Promise<PostgresLake> {
  const place = await newPlace()
  await createLake({ folder: place.folder, catalog: place.url }, tables)
  return place
}

/** Runs one query on a database. */
export async function ask(url: string, sql: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** Stops or starts the server with the rights of its owner; `restart fast` ends all connections. */
export async function control(...args: readonly string[]): Promise<void> {
  const child = spawn(process.env['CHAINLAKE_POSTGRES_CONTROL'] ?? 'false', args, { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The server could not be told: ${args.join(' ')}`)
}
