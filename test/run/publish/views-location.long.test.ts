import { cpSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { t } from '../../../src/define/index.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { republishLake, withLakeAsOf } from '../../../src/run/publish/publish-views.ts'
import { viewsOf } from '../../../src/run/status/remote-lake.ts'
import { restoreLake } from '../../../src/run/status/restore-lake.ts'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { publishedLocation, publishedViews } from '../../../src/views/published-views.ts'
import { openLake, queryLake, selectFromLake } from '../../../src/views/query.ts'
import { dataFiles } from '../../repair/damage.ts'
import { exportLake } from '../export-lake.ts'
import { newLake, query } from '../lake-run.ts'
import { base, squaresTable, writeSquares } from '../squares.ts'

let node: Devnet
let made: string
beforeAll(async () => {
  node = await startDevnet({ seed: 46, blocks: 60 })
  made = newLake()
  await exportLake({ node, lake: made, unit: 30, to: 41 })
})
afterAll(() => node.close())

function copyOfLake(): string {
  const lake = newLake()
  cpSync(made, lake, { recursive: true })
  return lake
}

const blocks = 'SELECT count(*)::INT AS n, max(height)::INT AS top FROM p_blocks'
const dataPath = "SELECT value FROM ducklake_metadata WHERE key = 'data_path'"

/** The rows of a statement in a plain DuckDB that runs a script first. */
async function afterScript(script: string, sql: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run(script)
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

function dataPathOf(lake: string): Promise<unknown[]> {
  return afterScript(`ATTACH '${join(lake, 'lake.ducklake')}' AS copy (READ_ONLY); USE copy;`, dataPath)
}

async function rowsHere(lake: string, sql: string, viewsFile?: string): Promise<unknown[]> {
  const rows: unknown[] = []
  const source = await viewsOf({ folder: lake }, viewsFile === undefined ? {} : { viewsFile })
  for await (const chunk of (await queryLake(lake, sql, source)).chunks) rows.push(...chunk)
  return rows
}

describe('views with a location', () => {
  test('are read there by plain DuckDB after the folder was moved or copied', async () => {
    const lake = copyOfLake()
    const there = `${lake}-there`
    await republishLake({ folder: lake }, { location: there })
    await expect(query(lake, blocks)).rejects.toThrow('No files found')
    renameSync(lake, there)
    const rows = [{ n: 40, top: 40 }]
    expect(await query(there, blocks)).toEqual(rows)
    expect(await query(there, 'SELECT sum(transaction_count) > 0 AS some FROM p_daily')).toEqual([{ some: true }])
    expect(await query(there, 'SELECT lake_path FROM chainlake_lake')).toEqual([{ lake_path: there }])
    expect(await afterScript(readFileSync(join(there, 'views.sql'), 'utf8'), blocks)).toEqual(rows)
    expect(await dataPathOf(there)).toEqual([{ value: `${there}/data/` }])
    // chainlake itself reads the lake there, too.
    expect(await rowsHere(there, blocks)).toEqual([[40, 40]])
  })

  test('keep it in later publications, until the folder of the lake is given', async () => {
    const lake = copyOfLake()
    await republishLake({ folder: lake }, { location: 'https://host/lake/' })
    expect(await publishedLocation(lake)).toBe('https://host/lake')
    await exportLake({ node, lake, unit: 30 })
    const text = () => readFileSync(join(lake, 'views.sql'), 'utf8')
    expect(text()).toContain('https://host/lake/data/p_blocks/')
    expect(text().split('\n', 2)[1]).toBe('-- The data files are at https://host/lake.')
    expect(text()).not.toContain(`${lake}/data`)
    expect(await dataPathOf(lake)).toEqual([{ value: 'https://host/lake/data/' }])
    expect((await publishedViews(lake))?.snapshotId).toBe(await republishLake({ folder: lake }))
    expect(await rowsHere(lake, blocks)).toEqual([[60, 60]])
    const { findings } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toEqual([])

    await republishLake({ folder: lake }, { location: lake })
    expect(await publishedLocation(lake)).toBeNull()
    expect(await query(lake, blocks)).toEqual([{ n: 60, top: 60 }])
    expect(await dataPathOf(lake)).toEqual([{ value: `${lake}/data/` }])
  })

  test('have the same columns and comments as those of the folder', async () => {
    const lake = copyOfLake()
    const columns =
      'SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index'
    await republishLake({ folder: lake })
    const here = await query(lake, columns)
    await republishLake({ folder: lake }, { location: 's3://bucket/lake' })
    const lakePath = (row: Record<string, unknown>) => row['column_name'] !== 'lake_path'
    expect((await query(lake, columns)).filter(lakePath)).toEqual(here.filter(lakePath))
  })

  test('are read by the commands of chainlake over the files of the lake', async () => {
    const lake = copyOfLake()
    await republishLake({ folder: lake }, { location: '/mnt/lake' })
    expect(await rowsHere(lake, "SELECT max(slice_to) FROM coverage WHERE table_name = 'p_blocks'")).toEqual([[41]])
    const answer = await selectFromLake(lake, blocks, await viewsOf({ folder: lake }))
    for await (const chunk of answer.chunks) expect(chunk).toEqual([[40, 40]])
    const reader = await openLake(lake, undefined, await viewsOf({ folder: lake }))
    for await (const chunk of (await reader.query(`CREATE VIEW tall AS ${blocks}; FROM tall`)).chunks)
      expect(chunk).toEqual([[40, 40]])
    reader.close()
    const [file = ''] = dataFiles(lake, (name) => name === 'p_blocks')
    renameSync(join(lake, 'data', file), join(lake, 'lost.parquet'))
    await expect(rowsHere(lake, blocks)).rejects.toMatchObject({
      code: 'verify.missing',
      details: { file: `data/${file}` },
    })
  })

  test('show an earlier moment, at the location and here', async () => {
    const lake = copyOfLake()
    const snapshotId = await republishLake({ folder: lake })
    await exportLake({ node, lake, unit: 30 })
    const there = `${lake}-there`
    cpSync(join(lake, 'data'), join(there, 'data'), { recursive: true })
    await republishLake({ folder: lake }, { asOf: { snapshotId }, location: there })
    expect(await query(lake, blocks)).toEqual([{ n: 40, top: 40 }])
    expect(await rowsHere(lake, blocks)).toEqual([[40, 40]])
    await withLakeAsOf({ folder: lake }, { snapshotId: snapshotId - 1 }, async (viewsFile) => {
      expect(await rowsHere(lake, 'SELECT lake_path FROM chainlake_lake', viewsFile)).toEqual([[lake]])
      expect(await rowsHere(lake, 'SELECT max(height) FROM p_blocks', viewsFile)).not.toEqual([[41]])
    })
  })

  test('leave in lake.ducklake what a restore of it needs', async () => {
    const lake = copyOfLake()
    await republishLake({ folder: lake }, { location: 's3://bucket/lake' })
    await restoreLake({ lake: { folder: lake }, source: join(lake, 'lake.ducklake') })
    expect(await publishedLocation(lake)).toBe('s3://bucket/lake')
    await exportLake({ node, lake, unit: 30 })
    expect(await rowsHere(lake, blocks)).toEqual([[60, 60]])
  })
})

describe('the visible files, as the how-to lists them from lake.ducklake', () => {
  async function listed(lake: string, table: string): Promise<unknown[]> {
    const howTo = readFileSync(join(packageRoot(), 'examples/parquet/README.md'), 'utf8')
    const sql = /```sql\n(ATTACH [\s\S]*?)```/.exec(howTo)?.[1] ?? ''
    const [attach = '', ...select] = sql.replace('p_blocks', table).split('\n')
    return afterScript(attach.replace('output', lake), select.join('\n'))
  }

  test('are where readers find the lake', async () => {
    const lake = copyOfLake()
    await republishLake({ folder: lake }, { location: 's3://bucket/lake' })
    const files = dataFiles(lake, (name) => name === 'p_blocks').map((path) => `s3://bucket/lake/data/${path}`)
    const rows = files.toSorted().map((url) => ({ url, has_earlier_columns: false }))
    expect(await listed(lake, 'p_blocks')).toEqual(rows)
  })

  test('say which of them were written before a column was added', async () => {
    const lake = newLake()
    await writeSquares(lake, squaresTable(), 0, 10)
    const note = t.text('Note.', { nullable: true })
    await writeSquares(lake, squaresTable({ ...base, note }), 10, 20)
    expect(await listed(lake, 'squares')).toMatchObject([{ has_earlier_columns: true }, { has_earlier_columns: false }])
  })
})

test('a wrong location is refused before anything is written', async () => {
  const lake = copyOfLake()
  const before = readFileSync(join(lake, 'views.sql'))
  await expect(republishLake({ folder: lake }, { location: 'lake' })).rejects.toMatchObject({
    code: 'config.location',
    exitCode: 2,
    hint: expect.stringContaining('/srv/lake'),
  })
  expect(readFileSync(join(lake, 'views.sql')).equals(before)).toBe(true)
})
