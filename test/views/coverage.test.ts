import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { coverage } from '../../schemas/views/coverage.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import type { ReadRange } from '../../src/model.ts'
import { coverageQuery } from '../../src/views/coverage-query.ts'
import { publishViews, rowsOf, snapshot, temporaryFolder } from './test-lake.ts'

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
