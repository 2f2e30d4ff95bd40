import { expect, test } from 'vitest'
import { committedLake } from './committed-lake.ts'
import { sql } from './sql.ts'

test('states of the catalog that no commit writes are named', async () => {
  const { lake, catalog, parts } = await committedLake(4)
  expect((await catalog.inventory()).contradictions).toEqual([])
  const [deleted, misplaced, unrecorded, later] = parts.map(({ path }) => path)
  const idOf = (path = '') => `(SELECT data_file_id FROM main.ducklake_data_file WHERE '${path}' LIKE '%' || path)`
  for (const statement of [
    `INSERT INTO main.ducklake_delete_file (delete_file_id, data_file_id, delete_count) VALUES (1, ${idOf(deleted)}, 3)`,
    `UPDATE main.ducklake_file_partition_value SET partition_value = 'fuji' WHERE partition_value = 'local' AND data_file_id = ${idOf(misplaced)}`,
    `DELETE FROM chainlake.file WHERE data_file_id = ${idOf(unrecorded)}`,
    `UPDATE main.ducklake_data_file SET begin_snapshot = 99 WHERE data_file_id = ${idOf(later)}`,
    'DELETE FROM main.ducklake_snapshot WHERE snapshot_id = 2',
    "UPDATE main.ducklake_column SET end_snapshot = 1 WHERE column_name = 'amount'",
    'DELETE FROM chainlake.stream',
    "UPDATE main.ducklake_schema SET path = '../elsewhere/'",
    `INSERT INTO chainlake.own_view VALUES (1, NULL, 1, 'odd', '{"name":"odd"}')`,
  ])
    await sql(lake, statement)
  const table = 'events'
  expect((await catalog.inventory()).contradictions).toEqual([
    {
      message: 'The catalog names another folder for the files of the schema main.',
      expected: 'no path',
      found: '../elsewhere/',
    },
    { message: 'Snapshots between 1 and 3 are missing in the catalog.', expected: '2', found: '3' },
    {
      message: 'A file of events refers to snapshots that do not exist.',
      table,
      file: later,
      expected: 'snapshots up to 4',
      found: 'from 99 on',
    },
    {
      message: 'The catalog marks rows of a file of events as deleted, but chainlake never deletes rows.',
      table,
      file: deleted,
      expected: 'no deleted rows',
      found: '3 rows',
    },
    {
      message: 'In the catalog, column events.amount ended before files with it were written.',
      table,
      expected: 'a column of 4 files',
      found: 'ended with snapshot 1',
    },
    {
      message: 'The catalog has no record of the sources and the hash of a file of events.',
      table,
      file: unrecorded,
      expected: 'a record of the file',
      found: 'none',
    },
    { message: 'The catalog has rows of the stream local/P/block, but not the stream.' },
    {
      message: 'The partition of a file of events in the catalog differs from its folders.',
      table,
      file: misplaced,
      expected: 'local, 2026-11',
      found: 'fuji, 2026-11',
    },
    { message: 'The catalog has a view that chainlake did not record.', found: '{"name":"odd"}' },
  ])
})
