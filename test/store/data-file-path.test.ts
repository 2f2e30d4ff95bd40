import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { containers } from '../../schemas/lake.ts'
import { pBlocks } from '../../schemas/p-chain.ts'
import { day, identity, t, table } from '../../src/define/index.ts'
import { dataFilePath, readDataFileName, readDataFilePath } from '../../src/store/data-file-path.ts'
import { runs } from '../runs.ts'

const name = { from: 65_536, runId: '01hx', sequence: 2 }

test('a file is named by table, partition, slice, run and sequence', () => {
  expect(dataFilePath(pBlocks, ['mainnet', '2026-11'], name)).toBe(
    'data/p_blocks/network=mainnet/month=2026-11/000000065536-01hx-2.parquet',
  )
})

test('rows without a time have a separate folder', () => {
  expect(dataFilePath(pBlocks, ['mainnet', null], name)).toBe(
    'data/p_blocks/network=mainnet/month=__HIVE_DEFAULT_PARTITION__/000000065536-01hx-2.parquet',
  )
})

test('values with special characters of a file system or glob are percent-encoded', () => {
  expect(dataFilePath(containers, ['network-9', 'X/tx'], name)).toBe(
    'data/containers/network=network-9/chain=X%2Ftx/000000065536-01hx-2.parquet',
  )
  expect(dataFilePath(containers, ["a b*'(%)", '__HIVE_DEFAULT_PARTITION__'], name)).toBe(
    'data/containers/network=a%20b%2A%27%28%25%29/chain=%5F_HIVE_DEFAULT_PARTITION__/000000065536-01hx-2.parquet',
  )
})

test('a partition by day has a folder for each day', () => {
  const daily = table({
    name: 'daily',
    comment: 'For tests.',
    key: [],
    sortBy: [],
    partitionBy: [identity('network'), day('block_time')],
    columns: { network: t.text('Network.'), block_time: t.timestamp('Time.') },
  })
  expect(dataFilePath(daily, ['fuji', '2026-11-21'], name)).toBe(
    'data/daily/network=fuji/day=2026-11-21/000000065536-01hx-2.parquet',
  )
})

describe('the parser of data file paths', () => {
  const value = fc.option(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', '.', '..', '__HIVE_DEFAULT_PARTITION__', 'X/tx', '%5F'),
    ),
  )
  const named = fc.record({
    from: fc.maxSafeNat(),
    runId: fc.stringMatching(/^[0-9A-Za-z]+$/),
    sequence: fc.maxSafeNat(),
  })

  test('returns the values that the path was made of', () => {
    fc.assert(
      fc.property(named, value, value, (made, network, month) => {
        const path = dataFilePath(pBlocks, [network, month], made)
        const partition = [
          { key: 'network', value: network },
          { key: 'month', value: month },
        ]
        expect(readDataFilePath(path)).toEqual({ ...made, table: 'p_blocks', partition })
        expect(readDataFileName(path.slice(path.lastIndexOf('/') + 1))).toEqual(made)
      }),
      { numRuns: runs(200) },
    )
  })

  test('reads the path of a table without partitions', () => {
    expect(readDataFilePath('data/a/000000000001-r-0.parquet')).toEqual({
      table: 'a',
      partition: [],
      from: 1,
      runId: 'r',
      sequence: 0,
    })
  })

  test.each([
    'data/000000000001-r-0.parquet',
    'data//000000000001-r-0.parquet',
    'other/a/000000000001-r-0.parquet',
    '/data/a/000000000001-r-0.parquet',
    'data/a/folder/000000000001-r-0.parquet',
    'data/a/=x/000000000001-r-0.parquet',
    'data/a/network=%/000000000001-r-0.parquet',
    'data/a/network=%2a/000000000001-r-0.parquet',
    'data/a/network=a b/000000000001-r-0.parquet',
    'data/a/0000000000001-r-0.parquet',
    'data/a/000000000001-r-00.parquet',
    'data/a/000000000001-r-99999999999999999999.parquet',
  ])('returns null for a path that no data file has: %s', (path) => expect(readDataFilePath(path)).toBeNull())

  test.each([
    'notes.txt',
    'x.parquet',
    '5-abc.parquet',
    '000000000005-abc-1.parquet.tmp',
    '000000000005-a-b-1.parquet',
  ])('returns null for the file name %s', (name) => expect(readDataFileName(name)).toBeNull())
})
