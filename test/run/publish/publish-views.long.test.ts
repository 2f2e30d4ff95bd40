import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { type Catalog, openCatalog } from '../../../src/catalog/catalog.ts'
import { publishLake } from '../../../src/run/publish/publish-views.ts'
import { publishWhenBehind } from '../../../src/run/publish/publisher.ts'
import { publishedLocation, publishedViews } from '../../../src/views/published-views.ts'
import { sql } from '../../catalog/sql.ts'
import { exportLake } from '../export-lake.ts'
import { newLake, query } from '../lake-run.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 44, blocks: 300 })
})
afterAll(() => node.close())

const stop = new AbortController().signal
const other = { network: 'local', path: 'nothing', parameters: {} }

/** A lake with one hundred blocks, and an active run of another stream. */
async function lakeWithRun() {
  const lake = newLake()
  await exportLake({ node, lake, to: 100 })
  const catalog = await openCatalog({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [other], command: 'test' })
  let commits = 0
  const commit = () => {
    const slice = { from: commits, to: ++commits }
    const progress = { kind: 'slice', slice, ends: null } as const
    return catalog.commit({ runId: run.id, stream: other, tables: ['p_blocks'], parts: [], progress, basis: null })
  }
  return { lake, catalog, run, commit }
}

/** The content of the three published files: the blocks of the copy's files and of the views, and the snapshots of both. */
async function shown(lake: string) {
  const [copy] = await sql(
    lake,
    `select max(snapshot_id) as snapshot, (select sum(record_count) from ducklake_data_file f join ducklake_table t
     using (table_id) where t.table_name = 'p_blocks') as blocks from ducklake_snapshot`,
    'lake.ducklake',
  )
  const [views] = await query(
    lake,
    'select (select snapshot_id from chainlake_lake) as snapshot, (select count(*) from p_blocks) as blocks',
  )
  expect(copy).toEqual(views)
  return { snapshot: Number(views?.['snapshot']), blocks: Number(views?.['blocks']) }
}

const beside = (lake: string) => readdirSync(lake).filter((name) => name.startsWith('.'))

describe('a publication', () => {
  test('ends at the snapshot that it saw first, even while another run keeps committing', async () => {
    const { lake, catalog, run, commit } = await lakeWithRun()
    let commits = 0
    const busy: Catalog = {
      ...catalog,
      publishCopy: async (options) => {
        if (++commits > 3) throw new Error('It begins again and again.')
        const copy = await catalog.publishCopy(options)
        await commit()
        return copy
      },
    }
    const before = await catalog.snapshotId()
    expect(await publishLake({ lakeDir: lake, catalog: busy, owner: run.id, stop })).toBe(before)
    expect(await shown(lake)).toEqual({ snapshot: before, blocks: 99 })
    await run.end('done')
  })

  test('that finishes late does not replace a newer one of another run', async () => {
    const { lake, catalog, run, commit } = await lakeWithRun()
    const overtaken: Catalog = {
      ...catalog,
      publishCopy: async (options) => {
        const copy = await catalog.publishCopy(options)
        await commit()
        await publishLake({ lakeDir: lake, catalog, owner: run.id, stop })
        return copy
      },
    }
    expect(await publishLake({ lakeDir: lake, catalog: overtaken, owner: run.id, stop })).toBe(
      await catalog.snapshotId(),
    )
    expect(await shown(lake)).toEqual({ snapshot: await catalog.snapshotId(), blocks: 99 })
    expect(await publishWhenBehind({ lakeDir: lake, catalog, owner: run.id, stop })).toBeNull()
    expect(beside(lake)).toEqual([])
    await run.end('done')
  })

  test.each([
    ['keeps the location that views wrote meanwhile', undefined, '/mnt/views'],
    ['with a location wins over a later one without', '/mnt/own', '/mnt/own'],
  ])('that finishes late %s', async (_, location, expected) => {
    const { lake, catalog, run, commit } = await lakeWithRun()
    let attempts = 0
    const overtaken: Catalog = {
      ...catalog,
      publishCopy: async (options) => {
        const copy = await catalog.publishCopy(options)
        if (++attempts > 1) return copy
        await commit()
        const meanwhile = location === undefined ? { location: '/mnt/views' } : {}
        await publishLake({ lakeDir: lake, catalog, owner: run.id, stop }, meanwhile)
        return copy
      },
    }
    await publishLake({ lakeDir: lake, catalog: overtaken, owner: run.id, stop }, { location })
    expect(attempts).toBe(2)
    expect(await publishedLocation(lake)).toBe(expected)
    expect((await publishedViews(lake))?.snapshotId).toBe(await catalog.snapshotId())
    expect(beside(lake)).toEqual([])
    await run.end('done')
  })

  test('that is stopped leaves the previous publication and no other files', async () => {
    const { lake, catalog, run, commit } = await lakeWithRun()
    const before = await shown(lake)
    await commit()
    const told = new AbortController()
    const stopping: Catalog = {
      ...catalog,
      publishCopy: async (options) => {
        const copy = await catalog.publishCopy(options)
        setTimeout(() => told.abort(new Error('SIGINT')), 5)
        return copy
      },
    }
    const publishing = publishLake({ lakeDir: lake, catalog: stopping, owner: run.id, stop: told.signal })
    await expect(publishing).rejects.toBe(await publishing.catch(() => told.signal.reason))
    expect(beside(lake)).toEqual([])
    expect((await query(lake, 'select snapshot_id from chainlake_lake'))[0]).toEqual({
      snapshot_id: String(before.snapshot),
    })
    expect(await publishWhenBehind({ lakeDir: lake, catalog, owner: run.id, stop })).toBe(await catalog.snapshotId())
    await run.end('done')
  })
})

describe('the published lake shows the current catalog', () => {
  const catalogOf = (lake: string) => join(lake, 'catalog.ducklake')

  test('after a restore of an older backup, also when other commits then reach the same snapshot number', async () => {
    const lake = newLake()
    await exportLake({ node, lake, to: 100 })
    copyFileSync(catalogOf(lake), `${lake}.backup`)
    await exportLake({ node, lake, to: 200 })
    const later = await shown(lake)
    expect(later.blocks).toBe(199)

    copyFileSync(`${lake}.backup`, catalogOf(lake))
    // There is nothing new, so the run commits nothing.
    const { summary, events } = await exportLake({ node, lake, to: 100 })
    expect(summary.jobs[0]?.upToDate).toBe(true)
    expect(events.filter(({ kind }) => kind === 'published')).toHaveLength(1)
    expect((await shown(lake)).blocks).toBe(99)
    const again = await exportLake({ node, lake, to: 100 })
    expect(again.events.filter(({ kind }) => kind === 'published')).toEqual([])

    await exportLake({ node, lake, to: 200 })
    copyFileSync(`${lake}.backup`, catalogOf(lake))
    // The same number of commits as before, but with other blocks: the snapshot has the same number. Its views were never published.
    const catalog = await openCatalog({ folder: lake }, tables)
    const run = await catalog.startRun({ streams: [other], command: 'test' })
    while ((await catalog.snapshotId()) < later.snapshot) {
      const from = await catalog.snapshotId()
      const progress = { kind: 'slice', slice: { from, to: from + 1 }, ends: null } as const
      await catalog.commit({ runId: run.id, stream: other, tables: ['p_blocks'], parts: [], progress, basis: null })
    }
    expect(await publishWhenBehind({ lakeDir: lake, catalog, owner: run.id, stop })).toBe(later.snapshot)
    expect(await shown(lake)).toEqual({ snapshot: later.snapshot, blocks: 99 })
    await run.end('done')
  })

  test('when the published copy of the catalog belongs to another lake or is missing', async () => {
    const [lake, second] = [newLake(), newLake()]
    for (const folder of [lake, second]) await exportLake({ node, lake: folder, to: 100 })
    const copy = join(lake, 'lake.ducklake')
    for (const spoil of [() => copyFileSync(join(second, 'lake.ducklake'), copy), () => undefined]) {
      rmSync(copy, { force: true })
      spoil()
      const { events } = await exportLake({ node, lake, to: 100 })
      expect(events.filter(({ kind }) => kind === 'published')).toHaveLength(1)
      await shown(lake)
    }
    const id = async (folder: string) => (await query(folder, 'select lake_id from chainlake_lake'))[0]?.['lake_id']
    expect(await id(lake)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(await id(lake)).not.toBe(await id(second))
  })
})
