import { describe, expect, test } from 'vitest'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { catalogColumns } from '../../../src/catalog/schema.ts'
import type { Progress, SliceEnds } from '../../../src/model.ts'
import { createLake, endsOf, eventsPart, leaf, newLakeDir, stream, tables } from '../lake.ts'
import { sql } from '../sql.ts'

async function openRun() {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const commit = (
    from: number,
    to: number,
    options: { ends?: SliceEnds | null; blockEnds?: SliceEnds; tables?: string[] } = {},
  ) =>
    catalog.commit({
      runId: run.id,
      stream,
      tables: options.tables ?? ['events', 'names'],
      parts: (options.tables ?? ['events']).includes('events') ? [eventsPart(run.id, from, to)] : [],
      progress: {
        kind: 'slice',
        slice: { from, to },
        ends: options.ends === undefined ? endsOf(from, to) : options.ends,
        ...(options.blockEnds === undefined ? {} : { blockEnds: options.blockEnds }),
      },
      basis: null,
    })
  return { lake, catalog, run, commit }
}

async function slices(catalog: Catalog, name: string) {
  return (await catalog.coverage(stream, [name])).get(name)?.map(({ slice }) => [slice.from, slice.to])
}

test('a run without streams is valid because a job may have nothing to request', async () => {
  const lake = newLakeDir()
  const run = await (await createLake({ folder: lake }, tables)).startRun({ streams: [], command: 'test' })
  await run.end('done')
  expect(await sql(lake, 'select run_id, len(streams)::int as streams, outcome from chainlake.run')).toEqual([
    { run_id: run.id, streams: 0, outcome: 'done' },
  ])
})

describe('a commit', () => {
  test('makes files and coverage visible together', async () => {
    const { lake, catalog, run, commit } = await openRun()
    expect(await commit(0, 10)).toBe(1)
    expect(await commit(10, 30)).toBe(2)
    const files = await catalog.files()
    expect(files.snapshot.snapshotId).toBe(2)
    expect(await catalog.snapshotId()).toBe(2)
    expect(files.tables.map(({ name, files: own }) => [name, own])).toEqual([
      [
        'events',
        [0, 10].map((from, id) => ({
          id,
          path: `data/events/network=local/month=2026-11/${String(from).padStart(12, '0')}-${run.id}-0.parquet`,
          rows: from + 10,
          bytes: (from + 10) * 10,
          partition: ['local', '2026-11'],
        })),
      ],
      ['names', []],
    ])
    const [events] = await catalog.tables()
    expect(
      catalogColumns(events!).map(({ id, name, type, nullable, parentId }) => [id, name, type, nullable, parentId]),
    ).toEqual([
      [1, 'network', 'varchar', false, null],
      [2, 'height', 'int64', false, null],
      [3, 'block_time', 'timestamptz', true, null],
      [4, 'amount', 'decimal(20,0)', false, null],
      [5, 'owners', 'list', true, null],
      [6, 'element', 'varchar', false, 5],
      [7, 'detail', 'struct', true, null],
      [8, 'memo', 'blob', true, 7],
      [9, 'weight', 'decimal(20,0)', false, 7],
    ])
    expect(await catalog.coverage(stream, ['events', 'other'])).toEqual(
      new Map([
        ['events', [{ slice: { from: 0, to: 30 }, ends: endsOf(0, 30), blockEnds: null, bytes: 300 }]],
        ['other', []],
      ]),
    )
    expect(await sql(lake, 'select * from ducklake_table_stats order by 1')).toEqual([
      { table_id: '1', record_count: '30', next_row_id: '30', file_size_bytes: '300' },
      { table_id: '4', record_count: '0', next_row_id: '0', file_size_bytes: '0' },
    ])
    expect(
      await sql(lake, 'select data_file_id, row_id_start, partition_id from ducklake_data_file order by 1'),
    ).toEqual([
      { data_file_id: '0', row_id_start: '0', partition_id: '2' },
      { data_file_id: '1', row_id_start: '10', partition_id: '2' },
    ])
    const values =
      'select partition_key_index as k, partition_value as v from ducklake_file_partition_value where data_file_id = 1 order by 1'
    expect((await sql(lake, values)).map(({ v }) => v)).toEqual(['local', '2026', '11'])
    expect(
      (await sql(lake, 'select changes_made from ducklake_snapshot_changes order by snapshot_id')).map(
        (row) => row['changes_made'],
      ),
    ).toEqual([
      'created_schema:"main"',
      'created_table:"main"."events",created_table:"main"."names",inserted_into_table:1',
      'inserted_into_table:1',
    ])
  })

  test('counts values without nulls and compares the bounds of numbers as numbers', async () => {
    const { lake, commit } = await openRun()
    await commit(90, 100)
    await commit(100, 1000)
    const stats = await sql(
      lake,
      'select column_id, contains_null, min_value, max_value from ducklake_table_column_stats order by 1',
    )
    expect(stats.map(Object.values)).toEqual([
      ['1', false, 'local', 'local'],
      ['2', false, '90', '999'],
      ['3', false, '2026-11-01 00:00:00+00', '2026-11-21 10:45:00.5+00'],
      ['4', false, '0', '100'],
      ['6', false, 'a', 'b'],
      // Column 8 has no value yet.
      ['9', false, '1', '18446744073709551615'],
    ])
    const memo =
      'select value_count, null_count from ducklake_file_column_stats where column_id = 8 order by data_file_id'
    expect((await sql(lake, memo)).map(Object.values)).toEqual([
      ['0', '10'],
      ['0', '900'],
    ])
  })

  test('leaves bounds unknown once a file does not state them', async () => {
    const { lake, catalog, run } = await openRun()
    const bounds: [string | null, number][] = [
      [null, 10],
      ['78', 0],
      [null, 0],
      ['79', 0],
    ]
    const seen = []
    for (const [from, [bound, nulls]] of bounds.entries()) {
      const part = eventsPart(run.id, from, from + 1)
      const stats = [
        ...part.stats.filter(({ fieldId }) => fieldId !== 8),
        { ...leaf(8, 10, bound, bound), nullCount: nulls },
      ]
      await catalog.commit({
        runId: run.id,
        stream,
        tables: ['events'],
        parts: [{ ...part, stats }],
        progress: { kind: 'slice', slice: { from, to: from + 1 }, ends: null },
        basis: null,
      })
      seen.push(
        (await sql(lake, 'select min_value from ducklake_table_column_stats where column_id = 8'))[0]?.['min_value'],
      )
    }
    expect(seen).toEqual([undefined, '78', null, null])
  })

  test('is refused as a whole if one of its tables already covers part of the slice', async () => {
    const { catalog, commit } = await openRun()
    await commit(10, 20, { tables: ['names'] })
    for (const [from, to] of [
      [10, 20],
      [0, 11],
      [19, 30],
      [12, 13],
      [0, 30],
    ] as const)
      await expect(commit(from, to, { ends: null })).rejects.toMatchObject({
        name: 'CatalogError',
        code: 'catalog.overlap',
      })
    expect(await catalog.snapshotId()).toBe(1)
    await commit(10, 20, { tables: ['events'] })
    await commit(0, 10)
    await commit(30, 40)
    expect(await slices(catalog, 'events')).toEqual([
      [0, 20],
      [30, 40],
    ])
    await commit(20, 30)
    expect(await slices(catalog, 'events')).toEqual([[0, 40]])
    expect(await slices(catalog, 'names')).toEqual([[0, 40]])
    expect((await catalog.status()).streams).toMatchObject([
      {
        network: 'local',
        stream: 'local/P/block',
        tables: [
          { table: 'events', slices: [{ from: 0, to: 40 }], gaps: [], rows: 40, bytes: 400 },
          { table: 'names', slices: [{ from: 0, to: 40 }], gaps: [], rows: 0, bytes: 0 },
        ],
      },
    ])
  })

  test('is refused if its first or last id does not match the neighboring slice', async () => {
    const { catalog, commit } = await openRun()
    await commit(10, 20, { tables: ['events'] })
    const wrong: [number, number, SliceEnds][] = [
      [20, 30, { firstId: 'id-20', firstParentId: 'other', lastId: 'id-29' }],
      [0, 10, { firstId: 'id-0', firstParentId: null, lastId: 'other' }],
    ]
    for (const [from, to, ends] of wrong)
      for (const names of [['events'], ['names']])
        await expect(commit(from, to, { ends, tables: names })).rejects.toMatchObject({
          name: 'OtherSourceError',
          details: expect.objectContaining({ 'id at the source': 'other' }),
        })
    // The same slice for another table: its containers must be the same.
    await expect(
      commit(10, 15, { ends: { ...endsOf(10, 15), firstId: 'other' }, tables: ['names'] }),
    ).rejects.toMatchObject({ name: 'OtherSourceError' })
    expect(await catalog.snapshotId()).toBe(1)
    await commit(20, 30, { ends: { firstId: 'id-20', firstParentId: null, lastId: 'id-29' } })
    await commit(0, 10)
    expect(await slices(catalog, 'events')).toEqual([[0, 30]])
  })

  test('of records without ids matches its neighbors by block ids, whichever source came first', async () => {
    const { catalog, commit } = await openRun()
    const blocks = (from: number, to: number) => ({
      firstId: `block-${from}`,
      firstParentId: `block-${from - 1}`,
      lastId: `block-${to - 1}`,
    })
    await commit(10, 20, { blockEnds: blocks(10, 20) })
    const stranger = { ...blocks(20, 30), firstParentId: 'other' }
    await expect(commit(20, 30, { ends: null, blockEnds: stranger })).rejects.toMatchObject({
      name: 'OtherSourceError',
      details: expect.objectContaining({ 'id at the source': 'other', 'id in the lake': 'block-19' }),
    })
    await commit(20, 30, { ends: null, blockEnds: blocks(20, 30) })
    await commit(0, 10, { ends: null, blockEnds: blocks(0, 10) })
    // The ids of the containers at both ends are unknown now, so containers join this slice by their blocks.
    const whole = { slice: { from: 0, to: 30 }, ends: null, blockEnds: blocks(0, 30), bytes: 300 }
    expect((await catalog.coverage(stream, ['events'])).get('events')).toEqual([whole])
    await expect(commit(30, 40, { blockEnds: { ...blocks(30, 40), firstParentId: 'other' } })).rejects.toMatchObject({
      name: 'OtherSourceError',
    })
    await commit(30, 40, { blockEnds: blocks(30, 40) })
    expect((await catalog.coverage(stream, ['events'])).get('events')).toEqual([
      {
        slice: { from: 0, to: 40 },
        ends: { firstId: null, firstParentId: null, lastId: 'id-39' },
        blockEnds: blocks(0, 40),
        bytes: 400,
      },
    ])
  })

  test('is refused if it has unknown tables, invalid parts or an empty slice', async () => {
    const { catalog, run, commit } = await openRun()
    const part = eventsPart(run.id, 0, 10)
    const progress: Progress = { kind: 'slice', slice: { from: 0, to: 10 }, ends: null }
    const base = { runId: run.id, stream, progress, basis: null }
    await expect(commit(0, 10, { tables: ['nothing'] })).rejects.toMatchObject({ code: 'catalog.commit' })
    await expect(catalog.commit({ ...base, tables: ['names'], parts: [part] })).rejects.toMatchObject({
      code: 'catalog.commit',
    })
    await expect(commit(10, 10)).rejects.toMatchObject({ code: 'catalog.commit' })
    for (const wrong of [
      { ...part, path: 'data/names/x.parquet' },
      { ...part, partition: ['local'] },
      { ...part, partition: ['local', 'November'] },
      { ...part, stats: part.stats.slice(1) },
    ])
      await expect(catalog.commit({ ...base, tables: ['events'], parts: [wrong] })).rejects.toMatchObject({
        code: 'catalog.part',
      })
    expect(await catalog.snapshotId()).toBe(0)
    expect((await catalog.files()).tables).toEqual([])
  })
})

describe('a commit with overlapping streams', () => {
  const other = { ...stream, path: 'P/other', parameters: { of: 'some' } }
  const paths = ['P/other', 'P/block']

  async function twoRuns() {
    const { catalog, run, commit } = await openRun()
    const beside = await catalog.startRun({ streams: [other], command: 'test' })
    const seen = async () => {
      const [covered] = (await catalog.coverages([{ stream: other, overlapping: paths }], ['events'])).values()
      return covered?.overlapping ?? []
    }
    const commitBeside = async (from: number, to: number, known: Awaited<ReturnType<typeof seen>>) =>
      catalog.commit({
        runId: beside.id,
        stream: other,
        tables: ['events'],
        parts: [eventsPart(beside.id, from, to, 1)],
        progress: { kind: 'slice', slice: { from, to }, ends: null },
        basis: null,
        overlapping: { paths, seen: known },
      })
    return { catalog, run, commit, seen, commitBeside }
  }

  test('is refused if an overlapping stream has covered more of its slice since the comparison', async () => {
    const { catalog, commit, seen, commitBeside } = await twoRuns()
    await commit(0, 10)
    const before = await seen()
    expect(before.map(({ table, slice }) => [table, slice.from, slice.to])).toEqual([
      ['events', 0, 10],
      ['names', 0, 10],
    ])
    await commit(10, 20)
    await expect(commitBeside(5, 15, before)).rejects.toMatchObject({ code: 'catalog.conflict', kind: 'overtaken' })
    expect((await catalog.coverage(other, ['events'])).get('events')).toEqual([])
    await commitBeside(5, 15, await seen())
  })

  test('succeeds if overlapping streams have covered only other slices, tables or networks since the comparison', async () => {
    const { catalog, run, commit, seen, commitBeside } = await twoRuns()
    await commit(0, 10)
    const before = await seen()
    await commit(10, 20)
    await commit(20, 30, { tables: ['names'] })
    await catalog.commit({
      runId: run.id,
      stream: { ...stream, network: 'elsewhere' },
      tables: ['events'],
      parts: [eventsPart(run.id, 20, 30)],
      progress: { kind: 'slice', slice: { from: 0, to: 99 }, ends: null },
      basis: null,
    })
    await commitBeside(0, 10, before)
    await commitBeside(20, 30, before)
    expect((await catalog.coverage(other, ['events'])).get('events')?.map(({ slice }) => slice)).toEqual([
      { from: 0, to: 10 },
      { from: 20, to: 30 },
    ])
  })
})
