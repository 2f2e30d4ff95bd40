import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { type Columns, day, identity, type Table, t } from '../../src/define/index.ts'
import { columnIds } from '../../src/define/table.ts'
import type { LeafStats, Part, Progress } from '../../src/model.ts'
import { createLake, detailFields, events, eventsPart, leaf, names, newLakeDir, stream, tables } from './lake.ts'
import { sql } from './sql.ts'

const columns: Columns = events.columns
const ids = columnIds(events, null)

/** The table as a later version declares it. Its ids are extended as `npm run ids` does it. */
function later(changed: Columns, rest: Partial<Table> = {}): Table {
  const table = { ...events, columns: changed, ...rest }
  return { ...table, ids: columnIds(table, ids) }
}

function without(name: string): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([column]) => column !== name))
}

/** A lake with one file of `events`. */
async function lakeOfBefore(): Promise<string> {
  const lake = newLakeDir()
  await addPart(lake, events, 0, [])
  return lake
}

async function addPart(lake: string, table: Table, from: number, more: readonly LeafStats[], stats?: LeafStats[]) {
  const catalog = await createLake({ folder: lake }, [table, names])
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const part = eventsPart(run.id, from, from + 10)
  const parts: Part[] = [{ ...part, stats: [...(stats ?? part.stats), ...more] }]
  const progress: Progress = { kind: 'slice', slice: { from, to: from + 10 }, ends: null }
  await catalog.commit({ runId: run.id, stream, tables: ['events'], parts, progress, basis: null })
  await run.end('done')
  return catalog
}

async function columnsOf(lake: string): Promise<string[]> {
  const inventory = await (await openCatalog({ folder: lake }, tables)).inventory()
  return inventory.tables[0]!.columns.map(
    ({ id, order, name, nullable }) => `${order} ${name} ${id}${nullable ? '?' : ''}`,
  )
}

describe('a declaration may', () => {
  test('add nullable columns anywhere, also in structs, and older programs then refuse the lake', async () => {
    const lake = await lakeOfBefore()
    const old = await openCatalog({ folder: lake }, tables)
    const note = t.text('Note.', { nullable: true })
    const detail = t.struct({ first: note, ...detailFields }, 'Detail.', { nullable: true })
    const more = t.list(t.int64('One.'), 'More.', { nullable: true })
    const table = later({ network: columns['network']!, note, more, ...columns, detail })
    await addPart(
      lake,
      table,
      10,
      [10, 12, 13].map((id) => leaf(id, 10, '1', '2')),
    )
    expect(await columnsOf(lake)).toEqual([
      '1 network 1',
      '2 note 10?',
      '3 more 11?',
      '4 element 12',
      '5 height 2',
      '6 block_time 3?',
      '7 amount 4',
      '8 owners 5?',
      '9 element 6',
      '10 detail 7?',
      '11 first 13?',
      '12 memo 8?',
      '13 weight 9',
    ])
    const added = 'select contains_null, min_value from ducklake_table_column_stats where column_id = 12'
    expect(await sql(lake, added)).toEqual([{ contains_null: true, min_value: '1' }])
    const shown = `select column_name from ducklake_column where begin_snapshot <= 1 and (end_snapshot is null or end_snapshot > 1)
      order by column_order`
    expect((await sql(lake, shown)).map((row) => row['column_name'])).toEqual([
      ...['network', 'height', 'block_time', 'amount', 'owners', 'element', 'detail', 'memo', 'weight'],
    ])
    const versions = 'select schema_version from ducklake_schema_versions where table_id = 1 order by 1'
    expect((await sql(lake, versions)).map((row) => row['schema_version'])).toEqual(['1', '2'])
    await expect(old.startRun({ streams: [], command: 'test' })).rejects.toMatchObject({
      name: 'SchemaChangedError',
      details: { 'in the lake': expect.stringContaining('note varchar'), declared: 'not declared' },
    })
  })

  test('drop a column without reuse of its id, and make another column nullable', async () => {
    const lake = await lakeOfBefore()
    const table = later({ ...without('amount'), height: t.int64('Height.', { nullable: true }) })
    expect(table.ids?.retired).toEqual({ '4': 'amount' })
    const { stats } = eventsPart('x', 10, 20)
    await addPart(
      lake,
      table,
      10,
      [],
      stats.filter(({ fieldId }) => fieldId !== 4),
    )
    expect(await columnsOf(lake)).toEqual([
      ...['1 network 1', '2 height 2?', '3 block_time 3?', '4 owners 5?', '5 element 6'],
      ...['6 detail 7?', '7 memo 8?', '8 weight 9'],
    ])
    const again = { ...table, columns: { ...table.columns, amount: t.u64('Another.', { nullable: true }) } }
    expect(columnIds(again, table.ids).columns['amount']).toBe(10)
  })

  test('reorder its columns and change its sort order, and the catalog records both', async () => {
    const lake = await lakeOfBefore()
    const { network, ...others } = columns
    const table = later({ ...others, network: network! }, { sortBy: ['block_time', 'height'] })
    await addPart(lake, table, 10, [])
    expect((await columnsOf(lake)).at(-1)).toBe('9 network 1')
    const orders = `select i.begin_snapshot, i.end_snapshot, string_agg(expression, ' ' order by sort_key_index) as columns
      from ducklake_sort_info i join ducklake_sort_expression using (sort_id) where i.table_id = 1 group by all order by 1`
    expect(await sql(lake, orders)).toEqual([
      { begin_snapshot: '1', end_snapshot: '2', columns: 'height' },
      { begin_snapshot: '2', end_snapshot: null, columns: 'block_time height' },
    ])
    const before = await sql(lake, 'select max(schema_version) as v from ducklake_snapshot')
    await addPart(lake, table, 20, [])
    expect(await sql(lake, 'select max(schema_version) as v from ducklake_snapshot')).toEqual(before)
  })
})

describe('a declaration may not', () => {
  const renamed = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name === 'amount' ? 'value' : name, column]),
  )
  const cases: [string, Table][] = [
    ['leave out a column that is not retired, as an older program does', { ...events, columns: without('amount') }],
    ['have another type', later({ ...columns, height: t.text('Height.') })],
    [
      'call a column otherwise under its id',
      { ...events, columns: renamed, ids: { columns: { ...ids.columns, value: 4 }, retired: {} } },
    ],
    ['have a new column that is not nullable', later({ ...columns, extra: t.text('New.') })],
    [
      'have a new one inside of another',
      later({ ...columns, detail: t.struct({ ...detailFields, more: t.text('New.') }, 'Detail.', { nullable: true }) }),
    ],
    ['refuse nulls that may be there', later({ ...columns, block_time: t.timestamp('Time.') })],
    ['have another key', later(columns, { key: ['network', 'height', 'amount'] })],
    ['have other folders', later(columns, { partitionBy: [identity('network'), day('block_time')] })],
    ['have no folders', later(columns, { partitionBy: [] })],
  ]

  test.each(cases)('%s', async (_, table) => {
    const lake = await lakeOfBefore()
    const catalog = await openCatalog({ folder: lake }, [table.ids === null ? { ...table, ids: shrunk(table) } : table])
    await expect(catalog.startRun({ streams: [stream], command: 'test' })).rejects.toMatchObject({
      name: 'SchemaChangedError',
      code: 'schema.changed',
      exitCode: 4,
      hint: expect.stringContaining('export into a new lake'),
    })
    expect(await catalog.snapshotId()).toBe(1)
  })

  /** The ids of a program that does not know the column yet. */
  function shrunk({ columns }: Table): Table['ids'] {
    const known = Object.entries(ids.columns).filter(([path]) => path.split('.')[0]! in columns)
    return { columns: Object.fromEntries(known), retired: {} }
  }
})

test('the catalog stores the key of a table once, in the order of its first declaration', async () => {
  const lake = await lakeOfBefore()
  const tag = "select value from ducklake_tag where key = 'chainlake.key' and end_snapshot is null"
  expect(await sql(lake, tag)).toEqual([{ value: '1,2' }])
  await addPart(lake, { ...events, key: ['height', 'network'] }, 20, [])
  expect(await sql(lake, tag)).toEqual([{ value: '1,2' }])
})

test('files keep the partition values that they were written with', async () => {
  const lake = await lakeOfBefore()
  // Simulates a later version that partitions the table by days. Older files still cover a month each.
  await sql(
    lake,
    `insert into ducklake_partition_info values (99, 1, 2, null);
     update ducklake_partition_info set end_snapshot = 2 where partition_id <> 99 and table_id = 1;
     insert into ducklake_partition_column values
       (99, 1, 0, 1, 'identity'), (99, 1, 1, 3, 'year'), (99, 1, 2, 3, 'month'), (99, 1, 3, 3, 'day');
     insert into ducklake_data_file select d.* replace (7 as data_file_id, 99 as partition_id) from ducklake_data_file d;
     insert into ducklake_file_partition_value values (7, 1, 0, 'local'), (7, 1, 1, '2026'), (7, 1, 2, '3'), (7, 1, 3, '9')`,
  )
  const { tables: found } = await (await openCatalog({ folder: lake }, tables)).files()
  expect(found[0]!.files.map(({ partition }) => partition)).toEqual([
    ['local', '2026-11'],
    ['local', '2026-03-09'],
  ])
})
