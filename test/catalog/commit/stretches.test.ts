import { expect, test } from 'vitest'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import type { Part, Stretch } from '../../../src/model.ts'
import { createLake, eventsPart, newLakeDir, stream, stretch, tables } from '../lake.ts'

async function openRun() {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const { id: runId } = await catalog.startRun({ streams: [stream], command: 'test' })
  return { lake, catalog, runId }
}

function commit(catalog: Catalog, runId: string, stretches: readonly Stretch[], parts: readonly Part[] = []) {
  return catalog.commit({
    runId,
    stream,
    tables: ['events'],
    parts,
    progress: { kind: 'stretches', stretches },
    basis: null,
  })
}

test('a commit replaces all segments of a list and adds their files', async () => {
  const { catalog, runId } = await openRun()
  expect(await catalog.stretches(stream)).toEqual([])
  const first = [stretch(20, 11, 'secret')]
  expect(await commit(catalog, runId, first, [eventsPart(runId, 11, 21)])).toBe(1)
  expect(await catalog.stretches(stream)).toEqual(first)
  expect(await catalog.stretches({ ...stream, path: 'X/block' })).toEqual([])
  const second = [stretch(40, 31, 'next'), stretch(20, 11, 'secret')]
  await commit(catalog, runId, second, [eventsPart(runId, 31, 41, 1)])
  expect(await catalog.stretches(stream)).toEqual(second)
  const third = [stretch(40, 1)]
  // A commit of progress only: all items in between were known.
  expect(await commit(catalog, runId, third)).toBe(3)
  expect(await catalog.stretches(stream)).toEqual(third)
  expect((await catalog.files()).tables[0]?.files.length).toBe(2)
})

test('status counts segments and rows and shows no page token', async () => {
  const { catalog, runId } = await openRun()
  await commit(catalog, runId, [stretch(40, 31, 'secret'), stretch(20, 1)], [eventsPart(runId, 0, 30)])
  const status = await catalog.status()
  expect(status.streams).toMatchObject([
    {
      stream: 'local/P/block',
      tables: [{ table: 'events', slices: [], gaps: [], rows: 30, bytes: 300 }],
      stretches: { count: 2, items: 30, complete: false },
      observations: null,
    },
  ])
  expect(JSON.stringify(status)).not.toContain('secret')
  await commit(catalog, runId, [stretch(40, 1)], [eventsPart(runId, 30, 35, 1)])
  expect((await catalog.status()).streams[0]).toMatchObject({
    tables: [{ rows: 35, bytes: 350 }],
    stretches: { count: 1, items: 40, complete: true },
  })
})

test('a failed commit leaves the segments unchanged', async () => {
  const { catalog, runId } = await openRun()
  const first = [stretch(20, 11, 'secret')]
  await commit(catalog, runId, first)
  const part = { ...eventsPart(runId, 0, 1), partition: ['local'] }
  await expect(commit(catalog, runId, [stretch(30, 1)], [part])).rejects.toMatchObject({ code: 'catalog.part' })
  expect(await catalog.stretches(stream)).toEqual(first)
})

test('a commit is refused if its rows were compared with an older snapshot of the table', async () => {
  const { catalog, runId } = await openRun()
  const compared = (basis: number | null, from: number, names: string[]) =>
    catalog.commit({
      runId,
      stream,
      tables: names,
      parts: names.includes('events') ? [eventsPart(runId, 0, from + 1, from)] : [],
      progress: { kind: 'none' },
      basis,
    })
  expect(await compared(0, 0, ['events'])).toBe(1)
  for (const names of [['events'], ['names', 'events']])
    await expect(compared(0, 1, names)).rejects.toMatchObject({
      name: 'CatalogError',
      code: 'catalog.conflict',
      retryable: true,
      details: { table: 'events', 'compared with snapshot': 0, 'latest snapshot': 1 },
    })
  expect(await catalog.snapshotId()).toBe(1)
  // Files of another table do not cause a conflict.
  expect(await compared(0, 0, ['names'])).toBe(2)
  expect(await compared(1, 1, ['events'])).toBe(3)
  expect(await compared(null, 2, ['events'])).toBe(4)
})
