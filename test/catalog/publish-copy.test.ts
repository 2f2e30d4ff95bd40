import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { openCatalog, recordedFiles } from '../../src/catalog/catalog.ts'
import { committedLake } from './committed-lake.ts'
import { createLake, endsOf, eventsPart, newLakeDir, stream, tables } from './lake.ts'
import { sql } from './sql.ts'

/** The file paths that a DuckLake reader uses for a snapshot: data path, schema, table and file, joined. */
const visibleFiles = (snapshot: number) => `
  select (select value from ducklake_metadata where key = 'data_path') || s.path || t.path || d.path as file
  from ducklake_data_file d join ducklake_table t using (table_id) join ducklake_schema s using (schema_id)
  where d.begin_snapshot <= ${snapshot} and (d.end_snapshot is null or d.end_snapshot > ${snapshot}) order by data_file_id`

async function lakeWithCommits() {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const commit = (from: number) =>
    catalog.commit({
      runId: run.id,
      stream,
      tables: ['events'],
      parts: [eventsPart(run.id, from, from + 10)],
      progress: { kind: 'slice', slice: { from, to: from + 10 }, ends: endsOf(from, from + 10) },
      basis: null,
    })
  await commit(0)
  await commit(10)
  return { lake, catalog, run, commit }
}

describe('the published copy', () => {
  test('is complete and read-only and names every file of every snapshot', async () => {
    const { lake, catalog, run, commit } = await lakeWithCommits()
    await catalog.publishCopy()
    expect(statSync(join(lake, 'lake.ducklake')).mode & 0o777).toBe(0o444)
    await commit(20)
    const paths = (await catalog.files()).tables[0]?.files.map((file) => join(lake, file.path))
    expect(await sql(lake, visibleFiles(2), 'lake.ducklake')).toEqual(paths?.slice(0, 2).map((file) => ({ file })))
    expect(await sql(lake, visibleFiles(1), 'lake.ducklake')).toEqual(paths?.slice(0, 1).map((file) => ({ file })))
    await catalog.publishCopy()
    expect(await sql(lake, visibleFiles(3), 'lake.ducklake')).toEqual(paths?.map((file) => ({ file })))
    await run.end('done')
    expect(existsSync(join(lake, 'catalog.ducklake.wal'))).toBe(false)
  })

  test('stops neither a commit nor the next copy while a reader has it open', async () => {
    const { lake, catalog, commit } = await lakeWithCommits()
    await catalog.publishCopy()
    const instance = await DuckDBInstance.create(join(lake, 'lake.ducklake'), { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const count = async () => (await connection.runAndReadAll('select count(*) from ducklake_data_file')).getRows()
    expect(await count()).toEqual([[2n]])
    await commit(20)
    writeFileSync(join(lake, 'lake.ducklake.wal'), 'left by somebody')
    await catalog.publishCopy()
    expect(existsSync(join(lake, 'lake.ducklake.wal'))).toBe(false)
    expect(await count()).toEqual([[2n]])
    expect(await sql(lake, 'select count(*) as n from ducklake_data_file', 'lake.ducklake')).toEqual([{ n: '3' }])
    connection.closeSync()
    instance.closeSync()
  })

  test('names the new paths after the lake was moved', async () => {
    const { lake, catalog, run } = await lakeWithCommits()
    await run.end('done')
    const moved = `${lake}-moved`
    renameSync(lake, moved)
    const there = await openCatalog({ folder: moved }, tables)
    await there.relocate()
    await there.publishCopy()
    const files = await sql(moved, visibleFiles(2), 'lake.ducklake')
    expect(files).toHaveLength(2)
    for (const { file } of files) expect(file.startsWith(`${moved}/data/events/network=local/`)).toBe(true)
    const before = readFileSync(join(moved, 'catalog.ducklake'))
    await there.relocate()
    expect(readFileSync(join(moved, 'catalog.ducklake')).equals(before)).toBe(true)
    await expect(catalog.snapshotId()).rejects.toMatchObject({ code: 'catalog.missing' })
  })
})

test('the recorded files of the copy have their sizes and hashes', async () => {
  const { lake, catalog, parts } = await committedLake(2)
  await catalog.publishCopy()
  const recorded = parts.map(({ path, bytes, sha256 }) => [path, { bytes, sha256 }])
  expect([...(await recordedFiles({ folder: lake }))].sort()).toEqual(recorded)
})
