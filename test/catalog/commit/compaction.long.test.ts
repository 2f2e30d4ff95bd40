import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { Part } from '../../../src/model.ts'
import { commitTen, committedLake, failureOf, runOver } from '../committed-lake.ts'
import { endsOf, eventsPart, newLakeDir, stream, tables, writePart } from '../lake.ts'
import { fileFacts, hiddenFiles } from '../lake-state.ts'
import { sql } from '../sql.ts'

const options = { table: 'events', below: 1_000_000, upTo: 3, columns: ['height'] }

/** A lake with three files of ten rows each, a run that compacts it, and the merged file. */
async function threeFiles() {
  const { lake, catalog, parts } = await committedLake(3)
  const { id: runId } = await catalog.startRun({ streams: [], command: 'compact' })
  const small = await catalog.compaction.smallFiles(options)
  const files = small.files.map(({ id }) => id)
  const part = writePart(lake, eventsPart(runId, 0, 30))
  const replacement = { runId, table: 'events', files, parts: [part], level: 1 }
  return { lake, catalog, parts, small, part, runId, replacement }
}

describe('small files', () => {
  test('are listed with their partition, bounds and sources', async () => {
    const { small, parts } = await threeFiles()
    expect(small).toMatchObject({ snapshotId: 3, ends: new Map([['local/P/block', 30]]) })
    expect(small.files.map(({ path }) => path)).toEqual(parts.map(({ path }) => path))
    expect(small.files[1]).toMatchObject({
      rows: 10,
      since: 2,
      level: 0,
      partition: ['local', '2026-11'],
      sources: [{ stream: 'local/P/block', slice: { from: 10, to: 20 } }],
    })
    expect(small.files[1]?.bounds('height')).toEqual({ min: '10', max: '19' })
    expect(small.files[1]?.bounds('amount')).toBeNull()
  })

  test('exclude larger files and files that were merged more often', async () => {
    const { catalog, replacement } = await threeFiles()
    expect((await catalog.compaction.smallFiles({ ...options, below: 1 })).files).toEqual([])
    await catalog.compaction.replace(replacement)
    expect((await catalog.compaction.smallFiles({ ...options, upTo: 0 })).files).toEqual([])
    expect((await catalog.compaction.smallFiles(options)).files).toMatchObject([{ level: 1, rows: 30 }])
  })

  test('exclude files without recorded facts', async () => {
    const { lake, catalog } = await threeFiles()
    await sql(lake, 'DELETE FROM chainlake.file WHERE data_file_id = 1')
    expect(await catalog.compaction.smallFiles(options)).toMatchObject({ files: [{ id: 0 }, { id: 2 }] })
  })
})

describe('a replacement of small files', () => {
  test('shows the new file instead of the old ones, and earlier snapshots keep the old ones', async () => {
    const { lake, catalog, parts, part, replacement } = await threeFiles()
    expect(await catalog.compaction.replace(replacement)).toBe(4)
    const files = await catalog.files()
    expect(files.tables.find(({ name }) => name === 'events')?.files.map(({ path }) => path)).toEqual([part.path])
    expect((await hiddenFiles(catalog)).sort()).toEqual(parts.map(({ path }) => path).sort())
    expect(await fileFacts(catalog)).toMatchObject([
      { path: part.path, sha256: part.sha256, sources: [{ stream: 'local/P/block', slice: { from: 0, to: 30 } }] },
    ])
    expect([...(await catalog.coverage(stream, ['events'])).values()]).toMatchObject([[{ slice: { from: 0, to: 30 } }]])
    expect(await sql(lake, 'SELECT changes_made FROM main.ducklake_snapshot_changes WHERE snapshot_id = 4')).toEqual([
      { changes_made: 'compacted_table:1' },
    ])
    expect(await sql(lake, 'SELECT record_count, next_row_id, file_size_bytes FROM main.ducklake_table_stats')).toEqual(
      [{ record_count: '30', next_row_id: '60', file_size_bytes: String(part.bytes) }],
    )
    expect(
      await sql(lake, 'SELECT data_file_id AS id, end_snapshot AS e FROM main.ducklake_data_file ORDER BY 1'),
    ).toEqual([
      { id: '0', e: '4' },
      { id: '1', e: '4' },
      { id: '2', e: '4' },
      { id: '3', e: null },
    ])
    expect(
      await sql(lake, 'SELECT path FROM main.ducklake_files_scheduled_for_deletion ORDER BY data_file_id'),
    ).toEqual(parts.map(({ path }) => ({ path: path.replace(/^data\//, '') })))
  })

  test('is refused if a file was replaced meanwhile or if the number of rows would change', async () => {
    const { lake, catalog, runId, replacement } = await threeFiles()
    const fewer: Part = writePart(lake, eventsPart(runId, 0, 29, 1))
    expect(await failureOf(catalog.compaction.replace({ ...replacement, parts: [fewer] }))).toMatchObject({
      code: 'catalog.commit',
      details: { before: 30, after: 29 },
    })
    await catalog.compaction.replace(replacement)
    const again = { ...replacement, parts: [writePart(lake, eventsPart(runId, 0, 30, 2))] }
    expect(await failureOf(catalog.compaction.replace(again))).toMatchObject({
      code: 'catalog.overtaken',
      retryable: true,
    })
    expect(await catalog.snapshotId()).toBe(4)
  })

  test('causes no conflict for rows compared just before it, but rows committed earlier still do', async () => {
    const { lake, catalog, replacement } = await threeFiles()
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    const commit = (from: number, basis: number) => {
      const parts = [writePart(lake, eventsPart(run.id, 0, from + 10, from))]
      const progress = { kind: 'slice', slice: { from, to: from + 10 }, ends: endsOf(from, from + 10) } as const
      return catalog.commit({ runId: run.id, stream, tables: ['events'], parts, progress, basis })
    }
    await catalog.compaction.replace(replacement)
    expect(await commit(30, 3)).toBe(5)
    expect(await failureOf(commit(40, 2))).toMatchObject({ code: 'catalog.conflict' })
  })

  test('keeps the source streams of each file and leaves coverage unchanged', async () => {
    const { lake, catalog } = await committedLake(1)
    const other = { ...stream, path: 'P/other' }
    const run = await catalog.startRun({ streams: [stream, other], command: 'test' })
    const sliceOf = (from: number) => ({ kind: 'slice', slice: { from, to: from + 10 }, ends: null }) as const
    for (const from of [10, 20]) {
      const parts = [writePart(lake, eventsPart(run.id, from, from + 10))]
      const others = [{ stream: other, progress: sliceOf(from + 500), rows: new Map([['events', 4]]) }]
      const commit = { runId: run.id, stream, tables: ['events'], parts, progress: sliceOf(from), others, basis: null }
      await catalog.commit(commit)
    }
    const { files } = await catalog.compaction.smallFiles(options)
    expect(files.map(({ sources }) => sources.length)).toEqual([1, 2, 2])
    const covered = () =>
      catalog.coverages(
        [stream, other].map((each) => ({ stream: each, overlapping: [] })),
        ['events'],
      )
    const before = await covered()
    const part = writePart(lake, eventsPart(run.id, 0, 30, 7))
    const ids = files.map(({ id }) => id)
    await catalog.compaction.replace({ runId: run.id, table: 'events', files: ids, parts: [part], level: 1 })
    expect((await fileFacts(catalog)).map(({ path, sources }) => [path, sources])).toEqual([
      [
        part.path,
        [
          { stream: 'local/P/block', slice: { from: 0, to: 30 } },
          { stream: 'local/P/other', slice: { from: 510, to: 530 } },
        ],
      ],
    ])
    expect(await covered()).toEqual(before)
    await run.end('done')
  })

  test('runs in one process at a time, and runs of streams continue meanwhile', async () => {
    const { lake, catalog } = await threeFiles()
    expect(await failureOf(catalog.startRun({ streams: [], command: 'compact' }))).toMatchObject({
      code: 'catalog.work-locked',
    })
    await runOver({ lake, catalog }, 30, 1)
  })

  test('leaves the replaced files, and the next run removes its uncommitted files', async () => {
    const lake = newLakeDir()
    const { createLake } = await import('../lake.ts')
    const catalog = await createLake({ folder: lake }, tables)
    const parts = await runOver({ lake, catalog }, 0, 2)
    const compacting = await catalog.startRun({ streams: [], command: 'compact' })
    const part = writePart(lake, eventsPart(compacting.id, 0, 20))
    const ids = (await catalog.compaction.smallFiles(options)).files.map(({ id }) => id)
    const replacement = { runId: compacting.id, table: 'events', files: ids, parts: [part], level: 1 }
    await catalog.compaction.replace(replacement)
    const orphan = writePart(lake, eventsPart(compacting.id, 0, 20, 7))
    await compacting.end('failed')
    const next = await (await openCatalog({ folder: lake }, tables)).startRun({ streams: [stream], command: 'test' })
    expect(next.recovery).toMatchObject({ removed: [orphan.path], unknown: [] })
    expect((await hiddenFiles(catalog)).sort()).toEqual(parts.map(({ path }) => path).sort())
    await commitTen(lake, catalog, next, 20)
  })
})
