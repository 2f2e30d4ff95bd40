import { expect, test } from 'vitest'
import { icebergText } from '../../../src/cli/commands/publish-lake.ts'
import type { IcebergSummary } from '../../../src/run/publish/publish-iceberg.ts'
import { chainlake } from '../in-process.ts'

const published = (table: string): IcebergSummary['tables'][number] => ({
  table,
  metadata: `iceberg/${table}/metadata/v2.metadata.json`,
  version: 2,
  icebergSnapshotId: 1,
  snapshotId: 9,
  rows: 1_234,
  files: 3,
  bytes: 5_000,
})

/** A publication of two tables out of three. */
const summary: IcebergSummary = {
  schema: 'chainlake.iceberg.v1',
  lakeId: 'l',
  snapshotId: 9,
  publishedAt: '2026-11-25T08:00:00.000Z',
  location: 'file:///lake',
  locationGiven: false,
  runId: 'r',
  tables: ['p_blocks', 'p_outputs', 'x_blocks'].map(published),
  changed: [{ table: 'p_blocks', addedFiles: 1, removedFiles: 2 }],
  unchanged: ['p_outputs'],
}

test('the text counts the tables that were chosen, not all published ones', () =>
  expect(icebergText('lake', summary)).toMatchInlineSnapshot(`
    "table     version  files added  removed  files   rows   bytes
    p_blocks       v2            1        2      3  1,234  5.0 kB
    Iceberg shows snapshot 9 of lake at file:///lake/iceberg: 1 table written, 1 unchanged."
  `))

test('a lake without tables has nothing to publish', () =>
  expect(icebergText('lake', { ...summary, tables: [], changed: [], unchanged: [] })).toBe(
    'Nothing to publish: lake has no tables yet.',
  ))

test('an empty list of tables is refused, and does not publish nothing', async () =>
  expect(await chainlake(['publish', 'parquet', '--table', ' , '])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--table names no table.'),
  }))
