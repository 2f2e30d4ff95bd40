import { DatabaseError } from 'pg'
import { describe, expect, test } from 'vitest'
import { tables } from '../../../schemas/index.ts'
import { closeServer, serverFailure } from '../../../src/catalog/postgres/server.ts'
import { command, newLake } from '../../run/lake-run.ts'
import { failureOf } from '../committed-lake.ts'
import { createLake } from '../lake.ts'
import { ask, newDatabase, newPostgresLake } from './database.ts'
import { startPooler } from './pooler.ts'

/** The output of `chainlake status` for a lake in this database. */
async function statusOf(url: string, folder = newLake()) {
  const { code, stderr } = await command(['status', '--lake', url, '--data', folder, '--json'])
  return { code, stderr }
}

function changed(url: string, change: (parsed: URL) => void): string {
  const parsed = new URL(url)
  change(parsed)
  return parsed.href
}

describe('the command line explains a server problem', () => {
  test('if the server, user, password, database or TLS is missing or wrong', async () => {
    const { url } = await newPostgresLake()
    const cases: [string, number, string][] = [
      [changed(url, (u) => (u.port = '1')), 5, 'PostgreSQL does not answer'],
      [changed(url, (u) => (u.password = 'wrong')), 2, 'PostgreSQL rejected the user or password.'],
      [changed(url, (u) => (u.pathname = '/nowhere')), 2, 'The database does not exist.'],
      [changed(url, (u) => u.searchParams.set('sslmode', 'require')), 2, 'The TLS connection to PostgreSQL failed.'],
    ]
    for (const [wrong, code, text] of cases) {
      const said = await statusOf(wrong)
      expect({ code: said.code, url: wrong }, said.stderr).toEqual({ code, url: wrong })
      expect(said.stderr).toContain(text)
      expect(said.stderr).toContain('hint: ')
      expect(said.stderr).not.toMatch(/secret|wrong@/)
    }
  })

  test('if the user has no permission or the database contains another DuckLake', async () => {
    const { url, folder } = await newPostgresLake()
    await ask(
      url,
      "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'reads'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    )
    const reader = changed(url, (u) => {
      u.username = 'reader'
      u.password = 'reads'
    })
    const refused = await statusOf(reader)
    expect(refused.code, refused.stderr).toBe(2)
    expect(refused.stderr).toContain('The PostgreSQL user does not have the required permission.')
    await ask(url, 'GRANT USAGE ON SCHEMA public, chainlake TO reader')
    await ask(url, 'GRANT SELECT ON ALL TABLES IN SCHEMA public, chainlake TO reader')
    expect((await statusOf(reader, folder)).code).toBe(0)
    const other = await newDatabase()
    await ask(other, 'CREATE TABLE public.ducklake_metadata(key text)')
    const strange = await statusOf(other)
    expect(strange.code).toBe(2)
    expect(strange.stderr).toContain('another DuckLake')
  })
})

test('a missing catalog or the catalog of another lake is refused, not created again', async () => {
  const { folder, url } = await newPostgresLake()
  const other = await newPostgresLake()
  const place = await ask(url, "SELECT value FROM public.ducklake_metadata WHERE key = 'data_path'")
  await ask(other.url, "UPDATE public.ducklake_metadata SET value = $1 WHERE key = 'data_path'", [place[0]?.['value']])
  const run = (lake: string) => command(['views', '--lake', lake, '--data', folder])
  const strange = await run(other.url)
  expect(strange.code, strange.stderr).toBe(5)
  expect(strange.stderr).toContain('different lakes')
  await ask(url, 'DROP SCHEMA chainlake CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  const gone = await run(url)
  expect(gone.code, gone.stderr).toBe(5)
  expect(gone.stderr).toContain('missing in its database')
})

test.each([
  ['53100', 5, 'storage.full'],
  ['25006', 2, 'catalog.read-only'],
  ['53300', 5, 'catalog.connections'],
  ['57014', 5, 'catalog.locked'],
  ['25P04', 5, 'catalog.locked'],
  ['26000', 2, 'catalog.pooler'],
  ['42P05', 2, 'catalog.pooler'],
  ['57P01', 5, 'catalog.unreachable'],
  ['XX001', 5, 'catalog.unreadable'],
])('SQLSTATE %s ends with exit code %i and code %s', (state, exitCode, code) => {
  const error = new DatabaseError('as the server says', 1, 'error')
  error.code = state
  error.severity = 'ERROR'
  expect(serverFailure(error, 'lake of PostgreSQL at host:5432')).toMatchObject({ exitCode, code })
})

test.each([
  ['57014', 'canceling statement due to statement timeout', 'The statement_timeout '],
  ['55P03', 'canceling statement due to lock timeout', 'The lock_timeout '],
  ['25P04', 'terminating connection due to transaction timeout', 'The transaction_timeout '],
  ['57014', 'canceling statement due to user request', 'Another user canceled it'],
])('SQLSTATE %s, %s: the hint names the setting', (state, message, hint) => {
  const error = Object.assign(new DatabaseError(message, 1, 'error'), { code: state, severity: 'ERROR' })
  expect(serverFailure(error, 'lake')).toMatchObject({ hint: expect.stringContaining(hint) })
})

test('limits of the server for its statements do not hold for a lake', async () => {
  const url = await newDatabase()
  const name = new URL(url).pathname.slice(1)
  // In one session: the next one has one millisecond for its statements.
  await ask(url, `ALTER DATABASE ${name} SET lock_timeout = 1; ALTER DATABASE ${name} SET statement_timeout = 1`)
  const folder = newLake()
  const catalog = await createLake({ folder, catalog: url }, tables)
  const run = await catalog.startRun({ streams: [], command: 'test' })
  await run.end('completed')
  await closeServer(url)
})

test('a pooler in transaction mode is recognized at the start, before anything is created', async () => {
  const url = await newDatabase()
  const pooler = await startPooler(url)
  try {
    const refused = await failureOf(createLake({ folder: newLake(), catalog: pooler.url }, tables))
    expect(refused).toMatchObject({
      code: 'catalog.pooler',
      exitCode: 2,
      details: { pool_mode: 'transaction or statement' },
    })
  } finally {
    await closeServer(pooler.url)
    pooler.close()
  }
  expect(await ask(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'chainlake'")).toEqual([])
})
