import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { compactLake } from '../../src/run/upkeep/compact.ts'
import { fileFacts } from '../catalog/lake-state.ts'
import { exportLake, warnings } from './export-lake.ts'
import { columnsIn } from './file-layout.ts'
import { newLake, query, rowSets, strayFiles } from './lake-run.ts'

const stop = new AbortController().signal
const quiet = { stop, emit: () => undefined }
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 41, blocks: 159 })
})
afterAll(() => node.close())

describe('compactLake', () => {
  test('merges the files of each partition into one file with the same rows, columns and facts, in order', async () => {
    const lake = newLake()
    await exportLake({ node, lake, unit: 20, raw: true })
    const catalog = await openCatalog({ folder: lake }, tables)
    const before = await catalog.files()
    const rows = await rowSets(lake)
    const summary = await compactLake({ folder: lake }, quiet)
    const after = await catalog.files()
    expect(summary).toMatchObject({ stopped: false, snapshotId: after.snapshot.snapshotId })
    expect(summary.tables.map(({ name }) => name)).toContain('p_transactions')
    for (const { name, files } of after.tables) {
      const old = before.tables.find((table) => table.name === name)?.files ?? []
      const partitions = (all: typeof files) => new Set(all.map(({ partition }) => JSON.stringify(partition)))
      expect(files.length, name).toBe(partitions(files).size)
      expect(partitions(files)).toEqual(partitions(old))
      for (const { path } of files) expect(columnsIn(lake, path)).toEqual(columnsIn(lake, old[0]?.path ?? ''))
    }
    expect(await rowSets(lake)).toEqual(rows)
    const facts = (await fileFacts(catalog)).filter(({ table }) => table === 'p_blocks')
    expect(facts.map(({ sources }) => sources)).toEqual(
      facts.map(() => [{ stream: 'local/P/block', slice: { from: 1, to: 160 } }]),
    )
    for (const { path } of facts) {
      const heights = await query(lake, `select height from read_parquet('${join(lake, path)}')`)
      const numbers = heights.map(({ height }) => Number(height))
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    }
    expect(await strayFiles(lake)).toEqual([])

    // No merges remain, and a run resumes where the last one ended.
    expect((await compactLake({ folder: lake }, quiet)).tables).toEqual([])
    expect((await exportLake({ node, lake, unit: 20, raw: true })).summary.jobs[0]).toMatchObject({ upToDate: true })
  })

  test('merges files during a run, and the rows equal those of a run without merges', async () => {
    const [lake, calm] = [newLake(), newLake()]
    const { events } = await exportLake({ node, lake, unit: 2, compact: true })
    expect(warnings(events)).toEqual([])
    expect(events.filter(({ kind }) => kind === 'merged').length).toBeGreaterThan(0)
    await exportLake({ node, lake: calm, unit: 40 })
    expect(await rowSets(lake)).toEqual(await rowSets(calm))
    expect(await strayFiles(lake)).toEqual([])
  })

  test('stops between two files and leaves no stray files', async () => {
    const lake = newLake()
    await exportLake({ node, lake, unit: 40 })
    const controller = new AbortController()
    controller.abort(new Error('SIGTERM'))
    expect(await compactLake({ folder: lake }, { ...quiet, stop: controller.signal })).toMatchObject({
      stopped: true,
      tables: [],
    })
    expect(await strayFiles(lake)).toEqual([])
  })
})
