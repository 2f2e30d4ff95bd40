import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { lakeAsOf, parseMoment, republishLake, withLakeAsOf } from '../../src/run/publish/publish-views.ts'
import { compactLake } from '../../src/run/upkeep/compact.ts'
import { expireLake } from '../../src/run/upkeep/expire.ts'
import { queryLake } from '../../src/views/query.ts'
import { failureOf } from '../catalog/committed-lake.ts'
import { hiddenFiles } from '../catalog/lake-state.ts'
import { sql } from '../catalog/sql.ts'
import { exportLake } from './export-lake.ts'
import { newLake, query, rowSets, strayFiles } from './lake-run.ts'

const hour = 3_600_000
const quiet = { stop: new AbortController().signal, emit: () => undefined }
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 41, blocks: 60 })
})
afterAll(() => node.close())

/** A compacted lake with several commits. */
async function compacted() {
  const lake = newLake()
  await exportLake({ node, lake, unit: 20, to: 60 })
  const { snapshotId: before } = (await (await openCatalog({ folder: lake }, tables)).files()).snapshot
  const summary = await compactLake({ folder: lake }, quiet)
  return { lake, before, after: summary.snapshotId ?? -1 }
}

async function blocksAsOf(lake: string, moment: string): Promise<unknown> {
  return withLakeAsOf({ folder: lake }, parseMoment(moment), async (viewsFile) => {
    const answer = await queryLake(lake, 'select count(*), (select snapshot_id from chainlake_lake) from p_blocks', {
      viewsFile,
    })
    for await (const [row] of answer.chunks) return row
    return null
  })
}

describe('the lake as of a moment', () => {
  test('has the rows of that moment, by snapshot and by time, even if files were merged since', async () => {
    const { lake, before, after } = await compacted()
    // The first snapshot contains only the chains. Each later snapshot adds one unit.
    expect(await blocksAsOf(lake, '1')).toEqual([0, 1])
    expect(await blocksAsOf(lake, '2')).toEqual([19, 2])
    expect(await blocksAsOf(lake, String(before))).toEqual([59, before])
    expect(await blocksAsOf(lake, String(after))).toEqual([59, after])
    const [third] = await sql(
      lake,
      'SELECT (epoch_ms(snapshot_time) + 1)::VARCHAR AS ms FROM main.ducklake_snapshot WHERE snapshot_id = 3',
    )
    expect(await blocksAsOf(lake, new Date(Number(third?.['ms'])).toISOString())).toEqual([39, 3])
  })

  test('is refused for a moment without a snapshot, for an invalid moment, and when files are missing', async () => {
    const { lake, before } = await compacted()
    for (const moment of ['999', '2001-01-01', '2001-01-01T10:00:00Z', '2001-01-01T10:00Z', '2001-01-01 10:00:00'])
      expect(await failureOf(lakeAsOf({ folder: lake }, parseMoment(moment)))).toMatchObject({
        code: 'as-of.snapshot',
        exitCode: 2,
      })
    for (const text of ['yesterday', '', '-1', '2026-13-01'])
      expect(() => parseMoment(text)).toThrow('--as-of must be a snapshot or a time')
    const catalog = await openCatalog({ folder: lake }, tables)
    const [gone = ''] = await hiddenFiles(catalog)
    const { rm } = await import('node:fs/promises')
    await rm(join(lake, gone))
    expect(await failureOf(lakeAsOf({ folder: lake }, { snapshotId: before }))).toMatchObject({
      code: 'as-of.files',
      exitCode: 6,
      details: { gone: 1 },
    })
  })

  test('can be published, and stays visible until the next publication', async () => {
    const { lake, after } = await compacted()
    expect(await republishLake({ folder: lake }, { asOf: { snapshotId: 2 } })).toBe(2)
    expect(await query(lake, 'select count(*) as n from p_blocks')).toEqual([{ n: '19' }])
    expect((await exportLake({ node, lake, to: 60 })).summary.jobs[0]).toMatchObject({ upToDate: true })
    expect(await query(lake, 'select count(*) as n from p_blocks')).toEqual([{ n: '59' }])
    expect(await republishLake({ folder: lake })).toBe(after)
  })
})

describe('expiry', () => {
  test('forgets old snapshots at once, and removes their files a day after the publication without them', async () => {
    const { lake, after } = await compacted()
    const catalog = await openCatalog({ folder: lake }, tables)
    const rows = await rowSets(lake)
    const earlier = await hiddenFiles(catalog)
    const start = Date.now()
    const expire = (olderThanMs: number, passedMs: number) =>
      expireLake({ folder: lake }, { ...quiet, olderThanMs, now: () => new Date(start + 1000 + passedMs) })
    const there = () => earlier.filter((path) => existsSync(join(lake, path))).length

    expect(await expire(30 * 24 * hour, 0)).toMatchObject({ forgotten: { snapshots: 0, files: 0 }, removed: 0 })
    expect(await blocksAsOf(lake, '2')).toEqual([19, 2])

    const first = await expire(0, 0)
    expect(first).toMatchObject({ forgotten: { files: earlier.length, oldest: after }, removed: 0 })
    expect(first.waiting).toBe(earlier.length)
    expect(await failureOf(lakeAsOf({ folder: lake }, { snapshotId: 2 }))).toMatchObject({ code: 'as-of.snapshot' })
    expect(await blocksAsOf(lake, String(after))).toEqual([59, after])
    // A run in between does not remove the waiting files.
    await node.grow(5)
    await exportLake({ node, lake, unit: 20 })
    expect(there()).toBe(earlier.length)

    expect(await expire(30 * 24 * hour, 23 * hour)).toMatchObject({ removed: 0, waiting: earlier.length })
    expect(there()).toBe(earlier.length)
    expect(await expire(30 * 24 * hour, 25 * hour)).toMatchObject({ removed: earlier.length, waiting: 0 })
    expect(there()).toBe(0)
    expect(await query(lake, 'select count(*) as n from p_blocks')).toEqual([{ n: '65' }])
    expect(Object.keys(await rowSets(lake))).toEqual(Object.keys(rows))
    expect(await strayFiles(lake)).toEqual([])
    for (const table of ['ducklake_file_column_stats', 'ducklake_file_partition_value'])
      expect(
        await sql(
          lake,
          `SELECT count(*)::INT AS n FROM main.${table} WHERE data_file_id NOT IN (SELECT data_file_id FROM main.ducklake_data_file)`,
        ),
      ).toEqual([{ n: 0 }])
  })

  test('keeps the snapshot that was current at the requested age', async () => {
    const { lake, after } = await compacted()
    const [third] = await sql(
      lake,
      'SELECT (epoch_ms(snapshot_time) + 1)::VARCHAR AS ms FROM main.ducklake_snapshot WHERE snapshot_id = 3',
    )
    const then = Number(third?.['ms'])
    const now = () => new Date(then + 7 * hour)
    const { forgotten } = await expireLake({ folder: lake }, { ...quiet, olderThanMs: 7 * hour, now })
    expect(forgotten).toMatchObject({ snapshots: 3, files: 0, oldest: 3 })
    expect(await blocksAsOf(lake, '3')).toEqual([39, 3])
    expect(await blocksAsOf(lake, String(after))).toEqual([59, after])
  })
})
