import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { republishLake } from '../../../src/run/publish/publish-views.ts'
import { viewsOf } from '../../../src/run/status/remote-lake.ts'
import { queryLake } from '../../../src/views/query.ts'
import { dataFiles } from '../../repair/damage.ts'
import { exportLake } from '../export-lake.ts'
import { newLake } from '../lake-run.ts'

let node: Devnet
let sound: string
beforeAll(async () => {
  node = await startDevnet({ seed: 45, blocks: 60 })
  sound = newLake()
  await exportLake({ node, lake: sound, unit: 30 })
})
afterAll(() => node.close())

/** A copy of the lake, and a file of one of its tables. */
async function lakeWith(table: string): Promise<{ lake: string; file: string; path: string }> {
  const lake = newLake()
  cpSync(sound, lake, { recursive: true })
  await republishLake({ folder: lake })
  const [file] = dataFiles(lake, (name) => name === table)
  return { lake, file: `data/${file}`, path: join(lake, 'data', file!) }
}

async function ask(lake: string, sql: string, check?: 'size' | 'checksum'): Promise<unknown[]> {
  const rows: unknown[] = []
  const source = await viewsOf({ folder: lake }, check === undefined ? {} : { check })
  for await (const chunk of (await queryLake(lake, sql, source)).chunks) rows.push(...chunk)
  return rows
}

/** Inserts four bytes. DuckDB does not notice this if the query needs none of the changed bytes. */
function lengthen(path: string): void {
  writeFileSync(path, Buffer.concat([Buffer.from('PAR1'), readFileSync(path)]))
}

function changeByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[4] = bytes[4]! ^ 1
  writeFileSync(path, bytes)
}

describe('a query', () => {
  test.each([
    ['one that names the table', 'SELECT count(*) FROM p_transactions'],
    ['one that reads it through a view', 'SELECT count(*) FROM p_daily'],
    ['one with other statements before it', 'SET VARIABLE a = 1; SELECT max(height) FROM "p_transactions"'],
    ['one with a common table expression', 'WITH t AS (FROM P_TRANSACTIONS) SELECT 1 FROM t LIMIT 0'],
  ])('is refused when a file of its table has the wrong length: %s', async (_, sql) => {
    const { lake, file, path } = await lakeWith('p_transactions')
    const { length } = readFileSync(path)
    lengthen(path)
    await expect(ask(lake, sql)).rejects.toMatchObject({
      code: 'verify.damaged',
      exitCode: 6,
      details: { file, bytes: length + 4, 'bytes when written': length },
      hint: expect.stringContaining('chainlake repair'),
    })
  })

  test('is refused when a file is empty or missing', async () => {
    const { lake, file, path } = await lakeWith('p_transactions')
    truncateSync(path, 0)
    const sql = 'SELECT count(*) FROM p_transactions'
    await expect(ask(lake, sql)).rejects.toMatchObject({ code: 'verify.damaged', details: { file, bytes: 0 } })
    rmSync(path)
    await expect(ask(lake, sql)).rejects.toMatchObject({ code: 'verify.missing', details: { file } })
  })

  test('is answered when only other tables have damaged files', async () => {
    const { lake, path } = await lakeWith('p_transactions')
    lengthen(path)
    expect(await ask(lake, 'SELECT count(*) FROM p_blocks')).toEqual([[60]])
  })

  test('on the view coverage is answered, because its text names no files', async () => {
    const { lake } = await lakeWith('p_blocks')
    expect(await ask(lake, "SELECT max(slice_to) FROM coverage WHERE table_name = 'p_blocks'")).toEqual([[61]])
  })

  test('is refused when a file has the wrong checksum and checksums are compared', async () => {
    const { lake, file, path } = await lakeWith('p_blocks')
    changeByte(path)
    const sql = "SELECT count(*) FROM p_blocks WHERE network = 'local'"
    await expect(ask(lake, sql, 'checksum')).rejects.toMatchObject({
      code: 'verify.damaged',
      exitCode: 6,
      details: { file, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  test('of an undamaged lake is answered, with and without checksums', async () => {
    const { lake } = await lakeWith('p_blocks')
    const sql = 'SELECT count(*) FROM p_blocks'
    expect(await ask(lake, sql)).toEqual([[60]])
    expect(await ask(lake, sql, 'checksum')).toEqual([[60]])
  })

  test('fails with a hint to publish the views again when the published catalog is damaged', async () => {
    const { lake } = await lakeWith('p_blocks')
    rmSync(join(lake, 'lake.ducklake'))
    writeFileSync(join(lake, 'lake.ducklake'), 'something else')
    await expect(ask(lake, 'SELECT count(*) FROM p_blocks')).rejects.toMatchObject({
      code: 'storage.views',
      hint: expect.stringContaining('chainlake views'),
    })
  })
})
