import { closeSync, copyFileSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { type Catalog, openCatalog } from '../../src/catalog/catalog.ts'
import { readCheckpoint, verifyWriteAhead } from '../../src/catalog/duckdb/catalog-lock.ts'
import { createLake, newLakeDir, stream, tables } from './lake.ts'

const facts = (network: string) => ({
  network,
  networkId: 12345,
  hrp: 'local',
  chains: [],
  nativeAssetId: null,
  durangoTime: null,
})
const names = ['catalog.ducklake', 'catalog.ducklake.wal']

/** The current bytes of both files; null for a missing file. */
function keep(lake: string): (Buffer | null)[] {
  return names.map((name) => (existsSync(join(lake, name)) ? readFileSync(join(lake, name)) : null))
}

function putBack(lake: string, files: readonly (Buffer | null)[]): void {
  files.forEach((bytes, index) => {
    const file = join(lake, names[index] ?? '')
    if (bytes === null) rmSync(file, { force: true })
    else writeFileSync(file, bytes)
  })
}

/** Base64 text of the bytes, which is faster to compare. */
function textOf(bytes: Buffer | null): string | undefined {
  return bytes?.toString('base64')
}

/** Merges the write-ahead file into the catalog, as the end of a run does. */
async function fold(catalog: Catalog): Promise<void> {
  await (await catalog.startRun({ streams: [stream], command: 'test' })).end('done')
}

async function networksOf(lake: string): Promise<string[]> {
  const catalog = await openCatalog({ folder: lake }, tables)
  const known = await Promise.all(['a', 'b', 'c', 'd'].map((name) => catalog.network(name)))
  return known.flatMap((found) => (found === null ? [] : [found.network]))
}

async function expectRefused(lake: string, message: RegExp): Promise<void> {
  const before = keep(lake)
  const error = await openCatalog({ folder: lake }, tables).then(
    () => expect.fail('it was opened'),
    (failure) => failure,
  )
  expect(error).toMatchObject({ name: 'CatalogError', code: 'catalog.generation', exitCode: 5 })
  expect(error.message).toMatch(message)
  expect(error.hint).toContain('chainlake restore')
  expect(keep(lake).map(textOf)).toEqual(before.map(textOf))
}

describe('a write-ahead file that does not belong to the catalog', () => {
  test('is refused if the catalog is older or newer, and each file with its own catalog is replayed', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    await catalog.recordNetwork(facts('a'))
    const first = keep(lake)
    expect(first[1]).not.toBeNull()
    await fold(catalog)
    await catalog.recordNetwork(facts('b'))
    const second = keep(lake)
    putBack(lake, [first[0] ?? null, second[1] ?? null])
    await expectRefused(lake, /the catalog is older/)
    putBack(lake, [second[0] ?? null, first[1] ?? null])
    await expectRefused(lake, /the write-ahead file is older/)
    putBack(lake, first)
    expect(await networksOf(lake)).toEqual(['a'])
    putBack(lake, second)
    expect(await networksOf(lake)).toEqual(['a', 'b'])
  })

  test('is refused from a copy with as many checkpoints and from another lake', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    const start = keep(lake)
    const branch = async (name: string) => {
      putBack(lake, start)
      await catalog.recordNetwork(facts(name))
      await fold(catalog)
      await catalog.recordNetwork(facts('d'))
      return keep(lake)
    }
    const [one, two] = [await branch('a'), await branch('b')]
    expect(one[0]?.length).toBe(two[0]?.length)
    putBack(lake, [one[0] ?? null, two[1] ?? null])
    await expectRefused(lake, /have different states/)
    const other = newLakeDir()
    await createLake({ folder: other }, tables)
    putBack(other, [keep(other)[0] ?? null, (await first(newLakeDir()))[1] ?? null])
    await expectRefused(other, /have different states/)

    async function first(made: string) {
      await (await createLake({ folder: made }, tables)).recordNetwork(facts('a'))
      return keep(made)
    }
  })

  test('is handled by DuckDB after a crash during a checkpoint', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    await catalog.recordNetwork(facts('a'))
    await fold(catalog)
    await catalog.recordNetwork(facts('b'))
    const before = keep(lake)
    for (const place of ['before_header', 'after_free_list_write', 'before_truncate', 'before_wal_finish']) {
      putBack(lake, before)
      await abortCheckpoint(join(lake, 'catalog.ducklake'), place)
      expect(existsSync(join(lake, 'catalog.ducklake.wal')), place).toBe(true)
      expect(await networksOf(lake), place).toEqual(['a', 'b'])
    }
    // The catalog contains the transactions now. Their write-ahead file without its end, which records this, would be replayed again.
    const after = keep(lake)
    const cut = (before[1] ?? Buffer.alloc(0)).length
    putBack(lake, [after[0] ?? null, before[1] ?? null])
    expect(cut).toBeGreaterThan(0)
    await expectRefused(lake, /the write-ahead file is older/)
  })

  test('is detected at any size of the lake, and one without a mark is replayed', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    const file = join(lake, 'catalog.ducklake')
    const seen = new Set<string>()
    for (let round = 0; round < 12; round++) {
      await catalog.recordNetwork(facts(`n${round}`))
      verifyWriteAhead(file)
      await fold(catalog)
      const descriptor = openSync(file, 'r')
      const checkpoint = readCheckpoint(descriptor)
      closeSync(descriptor)
      seen.add(checkpoint?.fingerprint ?? '')
    }
    expect(seen.size).toBe(12)
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run('PRAGMA disable_checkpoint_on_shutdown')
    await connection.run(`ATTACH '${file}' AS lake (TYPE duckdb)`)
    await connection.run('INSERT INTO lake.chainlake.version VALUES (1)')
    copyFileSync(`${file}.wal`, `${file}.kept`)
    connection.closeSync()
    instance.closeSync()
    copyFileSync(`${file}.kept`, `${file}.wal`)
    expect(statSync(`${file}.wal`).size).toBeGreaterThan(0)
    expect(() => verifyWriteAhead(file)).not.toThrow()
  })
})

async function abortCheckpoint(file: string, place: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  await connection.run(`ATTACH '${file}' AS lake (TYPE duckdb)`)
  await connection.run(`SET debug_checkpoint_abort = '${place}'`)
  await expect(connection.run('CHECKPOINT lake')).rejects.toThrow(/abort/)
  connection.closeSync()
  instance.closeSync()
}
