import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pBlocks, pTransactions } from '../../schemas/p-chain.ts'
import { publish, rowsOf, temporaryFolder, writeRows } from './test-lake.ts'

/** A lake with two files of P-Chain blocks and one of transactions, which no publication shows yet. */
async function lakeWithFiles(): Promise<string> {
  const lake = temporaryFolder()
  await writeRows(lake, pBlocks, 'data/a.parquet', [{ height: 1 }])
  await writeRows(lake, pBlocks, 'data/b.parquet', [{ height: 2 }])
  await writeRows(lake, pTransactions, 'data/c.parquet', [{ height: 1 }])
  return lake
}

/** A definition with the items of each EXCLUDE and REPLACE sorted: DuckDB stores them in no particular order. */
function inOrder(sql: string): string {
  const begin = /(?:EXCLUDE|REPLACE) \(/.exec(sql)
  if (begin === null) return sql
  const items = ['']
  let at = begin.index + begin[0].length
  for (let depth = 0; at < sql.length && (depth > 0 || sql[at] !== ')'); at++) {
    if (sql[at] === '(') depth++
    if (sql[at] === ')') depth--
    if (sql[at] === ',' && depth === 0) items.push('')
    else items[items.length - 1]! += sql[at]
  }
  const sorted = items.map((item) => item.trim()).sort()
  return `${sql.slice(0, begin.index)}${begin[0]}${sorted.join(', ')}${inOrder(sql.slice(at))}`
}

/** The definitions and comments of all views, except for the view with the time of the publication. */
async function definitions(lake: string) {
  const views = await rowsOf(
    lake,
    "SELECT view_name, sql, comment FROM duckdb_views() WHERE NOT internal AND view_name <> 'chainlake_lake' ORDER BY ALL",
  )
  return {
    views: views.map((view) => ({ ...view, sql: inOrder(String(view['sql'])) })),
    columns: await rowsOf(
      lake,
      'SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index',
    ),
    text: textOf(lake),
  }
}

function textOf(lake: string): string {
  const text = readFileSync(join(lake, 'views.sql'), 'utf8')
  return text.slice(text.indexOf('\n'), text.indexOf('CREATE OR REPLACE VIEW "chainlake_lake"'))
}

/** The definitions of a publication that continues no other. */
async function fromNothing(lake: string, files: Parameters<typeof publish>[1]) {
  for (const name of ['lake.duckdb', 'views.sql']) rmSync(join(lake, name))
  await publish(lake, files, 9)
  return definitions(lake)
}

test.each([
  ['more files', { p_blocks: ['data/a.parquet', 'data/b.parquet'], p_transactions: ['data/c.parquet'] }],
  ['a file less', { p_blocks: ['data/b.parquet'] }],
  ['no files', {}],
])('views that continue published ones, with %s, equal views that are built from nothing', async (_, files) => {
  const lake = await lakeWithFiles()
  await publish(lake, { p_blocks: ['data/a.parquet', 'data/b.parquet'] }, 1)
  await publish(lake, { p_blocks: ['data/a.parquet'], p_transactions: ['data/c.parquet'] }, 2)
  await publish(lake, files, 3)
  expect(await rowsOf(lake, 'SELECT snapshot_id FROM chainlake_lake')).toEqual([{ snapshot_id: 3 }])
  const continued = await definitions(lake)
  expect(continued).toEqual(await fromNothing(lake, files))
})

test('an altered lake.duckdb is not continued', async () => {
  const lake = await lakeWithFiles()
  await publish(lake, { p_blocks: ['data/a.parquet'] }, 1)
  const path = join(lake, 'lake.duckdb')
  chmodSync(path, 0o644)
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, bytes.length >> 1))
  await publish(lake, { p_blocks: ['data/a.parquet'], p_transactions: ['data/c.parquet'] }, 2)
  expect(await rowsOf(lake, 'SELECT height FROM p_blocks JOIN p_transactions USING (height)')).toEqual([{ height: 1 }])
})

test('lake.duckdb does not grow with the number of publications', async () => {
  const lake = await lakeWithFiles()
  const sizes: number[] = []
  for (let id = 1; id <= 25; id++) {
    await publish(lake, { p_blocks: [id % 2 === 0 ? 'data/a.parquet' : 'data/b.parquet'] }, id)
    sizes.push(statSync(join(lake, 'lake.duckdb')).size)
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1.5 * sizes[0]!)
})

test('only files of changed tables are looked at, while the same tables have rows', async () => {
  const lake = await lakeWithFiles()
  await writeRows(lake, pTransactions, 'data/d.parquet', [{ height: 2 }])
  await publish(lake, { p_blocks: ['data/a.parquet'], p_transactions: ['data/c.parquet'] }, 1)
  rmSync(join(lake, 'data/a.parquet'))
  await publish(lake, { p_blocks: ['data/a.parquet'], p_transactions: ['data/d.parquet'] }, 2)
  expect(await rowsOf(lake, 'SELECT height FROM p_transactions')).toEqual([{ height: 2 }])
})
