import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { committedLake, failureOf } from './committed-lake.ts'
import { endsOf, eventsPart, stream, writePart } from './lake.ts'
import { fileFacts, hiddenFiles } from './lake-state.ts'
import { sql } from './sql.ts'

const hour = 3_600_000

/** A lake with three files that a fourth file has replaced. */
async function replaced() {
  const { lake, catalog, parts } = await committedLake(3)
  const { id: runId } = await catalog.startRun({ streams: [], command: 'compact' })
  const part = writePart(lake, eventsPart(runId, 0, 30))
  await catalog.compaction.replace({ runId, table: 'events', files: [0, 1, 2], parts: [part], level: 1 })
  return { lake, catalog, parts, part }
}

describe('a snapshot', () => {
  test('shows what was visible at that time', async () => {
    const { catalog, parts, part } = await replaced()
    const filesAt = async (snapshotId: number) => {
      const { snapshot, tables } = (await catalog.asOf({ snapshotId })).files
      expect(snapshot.snapshotId).toBe(snapshotId)
      return tables.find(({ name }) => name === 'events')?.files.map(({ path }) => path)
    }
    const paths = parts.map(({ path }) => path)
    // The table is newer.
    expect(await filesAt(0)).toBeUndefined()
    expect(await filesAt(2)).toEqual(paths.slice(0, 2))
    expect(await filesAt(3)).toEqual(paths)
    expect(await filesAt(4)).toEqual([part.path])
    expect((await catalog.asOf({ time: new Date(Date.now() + hour) })).files.snapshot.snapshotId).toBe(4)
    expect(await failureOf(catalog.asOf({ snapshotId: 5 }))).toMatchObject({
      code: 'as-of.snapshot',
      details: { 'oldest snapshot': 0, 'newest snapshot': 4 },
    })
  })
})

describe('expiry', () => {
  test('keeps young snapshots and leaves only the last one of old snapshots', async () => {
    const { lake, catalog, parts, part } = await replaced()
    const now = Date.now()
    expect(await catalog.expiry.forget(new Date(now - hour))).toEqual({ snapshots: 0, files: 0, bytes: 0, oldest: 0 })
    expect(await catalog.expiry.waiting()).toBe(0)
    const bytes = parts.reduce((sum, each) => sum + each.bytes, 0)
    const forgotten = await catalog.expiry.forget(new Date(now + hour))
    expect(forgotten).toEqual({ snapshots: 4, files: 3, bytes, oldest: 4 })
    expect((await catalog.files()).tables[0]?.files.map(({ path }) => path)).toEqual([part.path])
    expect(await fileFacts(catalog)).toHaveLength(1)
    expect(
      await sql(lake, 'SELECT count(DISTINCT data_file_id)::INT AS n FROM main.ducklake_file_column_stats'),
    ).toEqual([{ n: 1 }])
    expect((await hiddenFiles(catalog)).sort()).toEqual(parts.map(({ path }) => path).sort())
  })

  test('removes files only some time after a publication without them', async () => {
    const { lake, catalog, parts, part } = await replaced()
    const now = Date.now()
    const at = (hours: number) => new Date(now + hours * hour)
    const there = () => parts.filter(({ path }) => existsSync(join(lake, path))).length
    // Earlier snapshots name these files. DuckLake scheduled their deletion long ago, and they stay.
    await sql(lake, "UPDATE main.ducklake_files_scheduled_for_deletion SET schedule_start = '2001-01-01'")
    expect(await catalog.expiry.removeWaiting(at(0))).toBe(0)
    await catalog.expiry.forget(at(1))
    // The state without the files has not been published yet.
    expect(await catalog.expiry.removeWaiting(at(1000))).toBe(0)
    await catalog.expiry.published(at(2))
    await catalog.expiry.published(at(20))
    expect(await catalog.expiry.removeWaiting(at(1))).toBe(0)
    expect(there()).toBe(3)
    expect(await catalog.expiry.removeWaiting(at(2))).toBe(3)
    expect(there()).toBe(0)
    expect(existsSync(join(lake, part.path))).toBe(true)
    expect(await catalog.expiry.waiting()).toBe(0)
    expect(await hiddenFiles(catalog)).toEqual([])
  })

  test('removes old runs but keeps the last one of each stream and command', async () => {
    const { lake, catalog } = await committedLake(1)
    const other = { ...stream, path: 'X/block' }
    for (const streams of [[stream], [other], [stream, other], [stream]])
      await (await catalog.startRun({ streams, command: 'run' })).end('done')
    const runs = () =>
      sql(lake, 'SELECT run_id FROM chainlake.run ORDER BY run_id').then((rows) => rows.map((row) => row['run_id']))
    const [made, first, second, both, last] = await runs()
    await sql(lake, `UPDATE chainlake.run SET outcome = 'restored over' WHERE run_id = '${first}'`)
    const live = await catalog.startRun({ streams: [{ ...stream, path: 'C/block' }], command: 'run' })
    await catalog.expiry.forget(new Date(Date.now() - hour))
    expect(await runs()).toEqual([made, first, second, both, last, live.id])
    await catalog.expiry.forget(new Date(Date.now() + hour))
    // The first run belongs to another command.
    expect(await runs()).toEqual([made, first, both, last, live.id])
    await live.end('done')
    expect(await catalog.expiry.lastBegun()).toBeNull()
  })

  test('does not hide rows that were committed after a comparison', async () => {
    const { lake, catalog } = await replaced()
    await catalog.expiry.forget(new Date(Date.now() + hour))
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    const parts = [writePart(lake, eventsPart(run.id, 29, 40))]
    const progress = { kind: 'slice', slice: { from: 30, to: 40 }, ends: endsOf(30, 40) } as const
    const commit = { runId: run.id, stream, tables: ['events'], parts, progress }
    // The files of snapshot 3 are in the merged file, and the catalog has forgotten them.
    expect(await failureOf(catalog.commit({ ...commit, basis: 2 }))).toMatchObject({ code: 'catalog.conflict' })
    expect(await catalog.commit({ ...commit, basis: 4 })).toBe(5)
  })
})
