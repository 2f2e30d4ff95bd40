import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restoreCatalog } from '../../src/catalog/backup.ts'
import type { Part, Progress, Stream } from '../../src/model.ts'
import { committedLake, runOver } from './committed-lake.ts'
import { createLake, endsOf, eventsPart, leaf, newLakeDir, stream, tables } from './lake.ts'
import { fileFacts } from './lake-state.ts'
import { sql } from './sql.ts'

const other: Stream = { ...stream, path: 'X/block' }
const id = 'local/P/block'
const none: Progress = { kind: 'none' }

async function openRun() {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const { id: runId } = await catalog.startRun({ streams: [stream, other], command: 'test' })
  return { lake, catalog, runId }
}

function namesPart(runId: string): Part {
  const path = `data/names/network=local/000000000000-${runId}-9.parquet`
  const stats = [leaf(1, 4, 'local', 'local'), leaf(2, 4, 'a', 'd')]
  return { ...eventsPart(runId, 0, 4), table: 'names', path, partition: ['local'], stats }
}

function slice(from: number, to: number): Progress {
  return { kind: 'slice', slice: { from, to }, ends: endsOf(from, to) }
}

describe('the facts of a file', () => {
  test('are the stream and slice of its commit, and its hash', async () => {
    const { catalog, runId } = await openRun()
    expect(await fileFacts(catalog)).toEqual([])
    const parts = [eventsPart(runId, 0, 6), eventsPart(runId, 6, 10, 1), namesPart(runId)]
    const both = { runId, stream, tables: ['events', 'names'], basis: null }
    await catalog.commit({ ...both, parts, progress: slice(0, 10) })
    const later = eventsPart(runId, 10, 20, 2)
    await catalog.commit({ ...both, parts: [later], progress: slice(10, 20) })
    const factsOf = ({ table, path, sha256 }: Part, from: number, to: number) => ({
      table,
      path,
      sha256,
      sources: [{ stream: id, slice: { from, to } }],
    })
    // Adjacent slices are merged in the coverage, but the files remain two here.
    expect((await catalog.status()).streams[0]?.tables[0]?.slices).toEqual([{ from: 0, to: 20 }])
    expect(await fileFacts(catalog)).toEqual([...parts.map((part) => factsOf(part, 0, 10)), factsOf(later, 10, 20)])
    expect(later.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test('name every stream that has rows in a shared file', async () => {
    const { catalog, runId } = await openRun()
    const third = { ...other, path: 'Y/block' }
    await catalog.commit({
      runId,
      stream,
      tables: ['events', 'names'],
      parts: [eventsPart(runId, 0, 10), namesPart(runId)],
      progress: slice(0, 10),
      others: [
        {
          stream: other,
          progress: slice(5, 7),
          rows: new Map([
            ['events', 3],
            ['names', 4],
          ]),
        },
        { stream: third, progress: none, rows: new Map([['events', 2]]) },
      ],
      basis: null,
    })
    expect((await fileFacts(catalog)).map(({ table, sources }) => [table, sources])).toEqual([
      [
        'events',
        [
          { stream: id, slice: { from: 0, to: 10 } },
          { stream: 'local/X/block', slice: { from: 5, to: 7 } },
          { stream: 'local/Y/block', slice: null },
        ],
      ],
      ['names', [{ stream: 'local/X/block', slice: { from: 5, to: 7 } }]],
    ])
  })

  test('of staged parts appear once the parts are visible, and name the run that wrote them', async () => {
    const { lake, catalog, runId } = await openRun()
    const first = await catalog.openObservation({ runId, stream })
    const staged = eventsPart('20261121T104500123Zabcdef', 0, 10)
    await catalog.stage({ runId, observationId: first.id, parts: [staged], cursor: null })
    expect((await catalog.openObservation({ runId, stream })).parts).toEqual([staged])
    expect(await fileFacts(catalog)).toEqual([])
    const end = (observationId: string, how: 'keep' | 'discard', parts: readonly Part[]) => {
      const progress = { kind: 'observation', observationId, staged: how } as const
      return catalog.commit({ runId, stream, tables: ['events'], parts, progress, basis: null })
    }
    await end(first.id, 'keep', [eventsPart(runId, 10, 20, 1)])
    const sources = [{ stream: id, slice: null }]
    const published = [{ path: staged.path, sha256: staged.sha256, sources }, { sources }]
    expect(await fileFacts(catalog)).toMatchObject(published)
    const writers = await sql(lake, 'SELECT run_id FROM chainlake.file ORDER BY data_file_id')
    expect(writers).toEqual([{ run_id: '20261121T104500123Zabcdef' }, { run_id: runId }])
    const second = await catalog.openObservation({ runId, stream })
    await catalog.stage({ runId, observationId: second.id, parts: [eventsPart(runId, 20, 30, 2)], cursor: null })
    await end(second.id, 'discard', [])
    expect(await fileFacts(catalog)).toHaveLength(2)
  })
})

test('a restored lake has the facts of the restored files only', async () => {
  const { lake, catalog, parts } = await committedLake(2)
  const before = await fileFacts(catalog)
  expect(before.map(({ path }) => path)).toEqual(parts.map(({ path }) => path))
  const source = join(lake, '../kept.ducklake')
  copyFileSync(join(lake, 'catalog.ducklake'), source)
  await runOver({ lake, catalog }, 20, 1)
  await restoreCatalog({ lake: { folder: lake }, source })
  expect(await fileFacts(catalog)).toEqual(before)
})
