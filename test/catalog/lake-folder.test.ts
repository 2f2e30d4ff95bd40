import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { lakeExists, openCatalog } from '../../src/catalog/catalog.ts'
import { chainlakeVersion, ducklakeTables } from '../../src/catalog/schema.ts'
import type { ChainlakeError } from '../../src/errors.ts'
import { createLake, newLakeDir, stream, tables } from './lake.ts'
import { sql } from './sql.ts'

async function failure(promise: Promise<unknown>): Promise<ChainlakeError> {
  return promise.then(
    () => expect.fail('it was accepted'),
    (error) => error,
  )
}

describe('a new lake', () => {
  test('can be created in a missing or empty folder and in one with dotfiles only', async () => {
    const absent = newLakeDir()
    expect(await lakeExists({ folder: absent })).toBe(false)
    await createLake({ folder: absent }, tables)
    expect(await lakeExists({ folder: absent })).toBe(true)
    const withDotfile = newLakeDir()
    mkdirSync(withDotfile)
    writeFileSync(join(withDotfile, '.gitkeep'), '')
    expect(await lakeExists({ folder: withDotfile })).toBe(false)
    await createLake({ folder: withDotfile }, tables)
    expect(readdirSync(withDotfile).sort()).toEqual(['.gitkeep', 'catalog.ducklake'])
  })

  test('has all tables of DuckLake 1.0 and states where its files are', async () => {
    const lake = newLakeDir()
    await createLake({ folder: lake }, tables)
    const found = await sql(lake, "select table_name from duckdb_tables() where schema_name = 'main' order by 1")
    expect(found.map((row) => row['table_name'])).toEqual(Object.keys(ducklakeTables).sort())
    expect(found).toHaveLength(28)
    expect(await sql(lake, 'select key, value from ducklake_metadata order by 1')).toEqual([
      { key: 'created_by', value: 'chainlake' },
      { key: 'data_path', value: `${lake}/data/` },
      { key: 'encrypted', value: 'false' },
      { key: 'version', value: '1.0' },
    ])
  })

  test('is the same lake for all catalogs that create it at the same time', async () => {
    const lake = newLakeDir()
    const catalogs = await Promise.all([1, 2, 3, 4].map(() => createLake({ folder: lake }, tables)))
    const run = await catalogs[0]?.startRun({ streams: [stream], command: 'test' })
    expect((await catalogs[3]?.status())?.streams[0]?.lastRun?.id).toBe(run?.id)
    await run?.end('done')
    expect(readdirSync(lake).sort()).toEqual(['catalog.ducklake', 'locks'])
  })
})

describe('chainlake refuses', () => {
  test('a file where the lake should be', async () => {
    const lake = newLakeDir()
    writeFileSync(lake, 'hello')
    for (const attempt of [
      () => lakeExists({ folder: lake }),
      () => createLake({ folder: lake }, tables),
      () => openCatalog({ folder: lake }, tables),
    ])
      expect(await failure(attempt())).toMatchObject({ name: 'StorageError', code: 'storage.not-a-folder' })
    expect(readFileSync(lake, 'utf8')).toBe('hello')
    const below = join(lake, 'lake')
    expect(await failure(createLake({ folder: below }, tables))).toMatchObject({
      name: 'StorageError',
      code: 'storage.not-a-folder',
    })
  })

  test('a folder with other files', async () => {
    const lake = newLakeDir()
    mkdirSync(lake)
    writeFileSync(join(lake, 'thesis.docx'), '')
    const error = await failure(createLake({ folder: lake }, tables))
    expect(error).toMatchObject({ name: 'ConfigError', code: 'lake.not-a-lake', exitCode: 2 })
    expect(error.details['it holds']).toBe('thesis.docx')
    expect(readdirSync(lake)).toEqual(['thesis.docx'])
    writeFileSync(join(lake, 'lake.ducklake'), '')
    expect((await failure(openCatalog({ folder: lake }, tables))).hint).toContain('chainlake restore')
  })

  test('a missing lake', async () => {
    expect(await failure(openCatalog({ folder: newLakeDir() }, tables))).toMatchObject({
      code: 'lake.missing',
      exitCode: 2,
    })
  })

  test.each([
    ['junk', 'hello world'.repeat(2000)],
    ['nothing', ''],
    ['SQLite', 'SQLite format 3\0'.padEnd(8192, 'a')],
  ])('a catalog of %s', async (_, text) => {
    const lake = newLakeDir()
    mkdirSync(lake)
    writeFileSync(join(lake, 'catalog.ducklake'), text)
    expect(await failure(openCatalog({ folder: lake }, tables))).toMatchObject({
      name: 'CatalogError',
      code: 'catalog.unreadable',
    })
    expect(readFileSync(join(lake, 'catalog.ducklake'), 'utf8')).toBe(text)
  })

  test('a truncated catalog', async () => {
    const lake = newLakeDir()
    await createLake({ folder: lake }, tables)
    const file = join(lake, 'catalog.ducklake')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length / 2))
    const error = await failure(openCatalog({ folder: lake }, tables))
    expect(error).toMatchObject({ name: 'CatalogError', code: 'catalog.unreadable', exitCode: 5 })
    expect(error.hint).toContain('backup')
  })

  test('a DuckDB file that is no catalog', async () => {
    const lake = newLakeDir()
    mkdirSync(lake)
    const instance = await DuckDBInstance.create(join(lake, 'catalog.ducklake'))
    instance.closeSync()
    expect(await failure(openCatalog({ folder: lake }, tables))).toMatchObject({
      name: 'CatalogError',
      code: 'catalog.unreadable',
    })
  })

  test.each([
    ['DuckLake', "update ducklake_metadata set value = '1.1' where key = 'version'"],
    ['chainlake', `update chainlake.version set version = ${chainlakeVersion + 1}`],
    ['chainlake', 'delete from chainlake.version'],
  ])('a catalog of another version of %s', async (what, change) => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    await sql(lake, change)
    const before = readFileSync(join(lake, 'catalog.ducklake'))
    for (const attempt of [
      () => openCatalog({ folder: lake }, tables),
      () => catalog.startRun({ streams: [stream], command: 'test' }),
      () => catalog.publishCopy(),
    ]) {
      const error = await failure(attempt())
      expect(error).toMatchObject({ name: 'UnknownVersionError', code: 'catalog.unknown-version', exitCode: 5 })
      expect(error.message).toContain(what)
    }
    expect(readFileSync(join(lake, 'catalog.ducklake')).equals(before)).toBe(true)
    expect(readdirSync(lake)).toEqual(['catalog.ducklake'])
  })

  test('a catalog with a text that is no JSON', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    await catalog.startRun({ streams: [stream], command: 'test' }).then((run) => run.end('done'))
    await sql(lake, "update chainlake.stream set tables = '['")
    const error = await failure(catalog.status())
    expect(error).toMatchObject({ name: 'CatalogError', code: 'catalog.unreadable', exitCode: 5 })
    expect(error.hint).toContain('backup')
  })

  test('an open lake after its catalog was deleted', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    rmSync(join(lake, 'catalog.ducklake'))
    expect(await failure(catalog.snapshotId())).toMatchObject({ code: 'catalog.missing' })
    expect(await failure(catalog.recordNetwork(facts))).toMatchObject({ code: 'catalog.missing' })
    expect(readdirSync(lake)).toEqual([])
  })

  test('a folder without write permission', async () => {
    // A place where even root cannot create folders.
    const lake = process.getuid?.() === 0 ? '/sys/kernel/chainlake-test' : join(dirname(newLakeDir()), 'closed', 'lake')
    if (process.getuid?.() !== 0) {
      mkdirSync(dirname(lake))
      chmodSync(dirname(lake), 0o555)
    }
    const error = await failure(createLake({ folder: lake }, tables))
    expect(error).toMatchObject({ name: 'StorageError', code: 'storage.read-only', exitCode: 5 })
    expect(error.hint).toContain('--lake')
  })
})

const facts = { network: 'local', networkId: 12345, hrp: 'local', chains: [], nativeAssetId: null, durangoTime: null }
