import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { pBlocks, pTransactions } from '../../schemas/p-chain.ts'
import { builtInView, derivedViews } from '../../schemas/views/index.ts'
import type { ReadRange } from '../../src/model.ts'
import { coverageQuery, lakeTablesQuery } from '../../src/views/lake-scripts.ts'
import { publishViews, rowsOf, snapshot, temporaryFolder, writeRows } from './test-lake.ts'

const coverage = builtInView('coverage')

async function lakeWith(ranges: readonly ReadRange[]): Promise<string> {
  const lakeDir = temporaryFolder()
  await publishViews({
    lakeDir,
    files: { snapshot: snapshot(1), tables: [] },
    tables,
    derived: derivedViews,
    filledViews: [{ ...coverage, query: coverageQuery(ranges) }],
  })
  return lakeDir
}

const range: ReadRange = {
  network: 'fuji',
  stream: 'fuji/P/block',
  table: 'p_blocks',
  unit: 'containers',
  slice: { from: 0, to: 2 ** 53 - 1 },
  rows: 7,
  committedMicros: 1_700_000_000_000_001,
}

test('the view coverage shows ranges, lists, and names of streams with any characters', async () => {
  const list = { ...range, stream: "fuji/list?a='\t\n\x1f%", slice: null, committedMicros: null }
  const lake = await lakeWith([range, list])
  const found = await rowsOf(lake, 'SELECT * REPLACE (epoch_us(committed_at) AS committed_at) FROM coverage')
  const shared = { network: 'fuji', table_name: 'p_blocks', unit: 'containers', row_count: 7 }
  expect(found).toEqual([
    { ...shared, stream: range.stream, slice_from: 0, slice_to: 2 ** 53 - 1, committed_at: 1_700_000_000_000_001 },
    { ...shared, stream: list.stream, slice_from: null, slice_to: null, committed_at: null },
  ])
  const columns = await rowsOf(lake, 'SELECT column_name, column_type FROM (DESCRIBE coverage)')
  expect(columns).toEqual(
    Object.entries(coverage.columns).map(([column_name, { type }]) => ({ column_name, column_type: type })),
  )
})

test('the view coverage shows the ranges of ten thousand wallets', async () => {
  const ranges = Array.from({ length: 10_000 }, (_, at) => ({
    ...range,
    stream: `fuji/wallet-transfers/erc20?address=0x${String(at).padStart(40, '0')}`,
  }))
  const lake = await lakeWith(ranges)
  expect(await rowsOf(lake, 'SELECT count(DISTINCT stream) AS streams FROM coverage')).toEqual([{ streams: 10_000 }])
})

test('the schema filled lists the tables with rows and the views that read them, under any name of the file, and lake_tables says what they have', async () => {
  const lake = temporaryFolder()
  await writeRows(lake, pBlocks, 'data/p_blocks.parquet', [{ network: 'fuji', height: 1 }])
  await writeRows(lake, pTransactions, 'data/p_transactions.parquet', [
    { network: 'fuji', height: 1, tx_index: 0, tx_type: 'BaseTx' },
  ])
  const show = async (...names: readonly string[]) => {
    const listed = {
      ...builtInView('lake_tables'),
      query: lakeTablesQuery(
        names.map((name) => ({
          name,
          rows: 1,
          newestMicros: 1_000_000n,
          ranges: [{ ...range, table: name, unit: 'heights', slice: { from: 1, to: 5 }, pipeline: 'p-blocks' }],
        })),
      ),
    }
    await publishViews({
      lakeDir: lake,
      files: {
        snapshot: snapshot(names.length),
        tables: names.map((name) => ({ name, files: [{ path: `data/${name}.parquet`, rows: 1 }] })),
      },
      tables,
      derived: derivedViews,
      filledViews: [listed],
    })
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(`ATTACH '${lake}/lake.duckdb' AS other (READ_ONLY)`)
    const all = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
    const found = {
      names: (await all('SHOW TABLES FROM other.filled')).flat(),
      days: await all('SELECT transaction_count FROM other.filled.p_daily'),
      listed: await all(
        'SELECT table_name, row_count, unit, slice_from, slice_to, epoch(newest), jobs FROM other.filled.lake_tables',
      ),
    }
    connection.closeSync()
    instance.closeSync()
    return found
  }
  const first = await show('p_transactions')
  expect(first.names).toEqual(expect.arrayContaining(['p_transactions', 'p_daily', 'chain_daily', 'lake_tables']))
  expect(first.names).not.toEqual(expect.arrayContaining(['p_blocks']))
  for (const empty of ['evm_daily', 'evm_blocks', 'coverage', 'p_payments']) expect(first.names).not.toContain(empty)
  expect(first.days).toEqual([['1']])
  expect(first.listed).toEqual([['p_transactions', '1', 'heights', '1', '5', 1, ['p-blocks']]])
  const second = await show('p_transactions', 'p_blocks')
  expect(second.names).toEqual(expect.arrayContaining(['p_blocks', 'p_proposals', 'p_block_times']))
})

test('the short list grows where the files are out of reach: a name is listed while no table has files', async () => {
  const lake = temporaryFolder()
  const show = (names: readonly string[]) =>
    publishViews({
      lakeDir: lake,
      location: 'https://127.0.0.1:1/lake',
      files: {
        snapshot: snapshot(names.length),
        tables: names.map((name) => ({ name, files: [{ path: `data/${name}.parquet`, rows: 1 }] })),
      },
      tables,
      derived: derivedViews,
    })
  await show(['p_blocks', 'p_transactions'])
  await show(['p_blocks', 'p_transactions', 'x_outputs', 'x_inputs', 'x_transactions'])
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`ATTACH '${lake}/lake.duckdb' AS lake (READ_ONLY)`)
  const names = (await connection.runAndReadAll('SHOW TABLES FROM lake.filled')).getRowsJson().flat()
  connection.closeSync()
  instance.closeSync()
  expect(names).toEqual(expect.arrayContaining(['p_blocks', 'x_outputs', 'x_inputs', 'x_utxos']))
  expect(names).not.toContain('c_blocks')
})
