import { expect, test } from 'vitest'
import { containers } from '../../schemas/containers.ts'
import { pBlocks } from '../../schemas/p-blocks.ts'
import { day, identity, t, table } from '../../src/define/index.ts'
import { partPath } from '../../src/write/part-path.ts'

const name = { from: 65_536, runId: '01hx', sequence: 2 }

test('a part is named by table, partition, slice, run and sequence', () => {
  expect(partPath(pBlocks, ['mainnet', '2026-11'], name)).toBe(
    'data/p_blocks/network=mainnet/month=2026-11/000000065536-01hx-2.parquet',
  )
})

test('rows without a time have their own folder', () => {
  expect(partPath(pBlocks, ['mainnet', null], name)).toBe(
    'data/p_blocks/network=mainnet/month=__HIVE_DEFAULT_PARTITION__/000000065536-01hx-2.parquet',
  )
})

test('values are percent-encoded where a file system or a glob would take them otherwise', () => {
  expect(partPath(containers, ['network-9', 'X/tx'], name)).toBe(
    'data/containers/network=network-9/chain=X%2Ftx/000000065536-01hx-2.parquet',
  )
  expect(partPath(containers, ["a b*'(%)", '__HIVE_DEFAULT_PARTITION__'], name)).toBe(
    'data/containers/network=a%20b%2A%27%28%25%29/chain=%5F_HIVE_DEFAULT_PARTITION__/000000065536-01hx-2.parquet',
  )
})

test('days', () => {
  const daily = table({
    name: 'daily',
    comment: 'For tests.',
    key: [],
    sortBy: [],
    partitionBy: [identity('network'), day('block_time')],
    columns: { network: t.text('Network.'), block_time: t.timestamp('Time.') },
  })
  expect(partPath(daily, ['fuji', '2026-11-21'], name)).toBe(
    'data/daily/network=fuji/day=2026-11-21/000000065536-01hx-2.parquet',
  )
})
