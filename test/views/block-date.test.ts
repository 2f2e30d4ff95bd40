import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { pBlocks } from '../../schemas/p-chain.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { derivedView, latestView, shownColumns, t, table } from '../../src/define/index.ts'
import { rowsInZones } from './read-in-zones.ts'
import { publish, publishViews, rowsOf, snapshot, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

test('every table and view with a time of a block has its date as the last column', () => {
  const shown = [
    ...tables.map((declared) => ({ name: declared.name, columns: Object.keys(shownColumns(declared)) })),
    ...derivedViews.map(({ name, columns }) => ({ name, columns: Object.keys(columns) })),
  ]
  for (const { name, columns } of shown)
    expect(columns.indexOf('block_date'), name).toBe(columns.includes('block_time') ? columns.length - 1 : -1)
  expect(shown.filter(({ columns }) => columns.includes('block_date')).length).toBeGreaterThan(40)
})

/** The first and the last microsecond of a day, a time before 1970 and no time. */
const times = ['2024-02-29 00:00:00+00', '2024-02-29 23:59:59.999999+00', '1969-12-31 23:59:59+00', null]
const dates = ['2024-02-29', '2024-02-29', '1969-12-31', null]

/** `block_date` by height, as each client shows it in each time zone. */
async function datesInZones(lake: string, view: string): Promise<unknown[]> {
  const answers = await rowsInZones(lake, `SELECT block_date FROM ${view} ORDER BY height`)
  expect(answers).toHaveLength(9)
  return [...new Set(answers.map((rows) => JSON.stringify(rows.map((row) => row['block_date']))))].map((text) =>
    JSON.parse(text),
  )
}

test('it is the UTC date in every time zone and client', async () => {
  const lake = temporaryFolder()
  await writeRows(lake, pBlocks, 'data/a.parquet', blocks())
  await publish(lake, { p_blocks: ['data/a.parquet'] })
  expect(await datesInZones(lake, 'p_blocks')).toEqual([dates])
  const described = await rowsOf(lake, 'DESCRIBE p_blocks')
  expect(described.at(-1)).toMatchObject({ column_name: 'block_date', column_type: 'DATE' })
  expect(await rowsOf(lake, "SELECT height FROM p_blocks WHERE block_date = '2024-02-29' ORDER BY height")).toEqual([
    { height: 1 },
    { height: 2 },
  ])
})

test('on the P-Chain before Banff the date is that of the last known time, and null before the first one', async () => {
  const lake = temporaryFolder()
  const later = ['2022-10-01 03:00:00+00', null, '2022-10-02 03:00:00+00']
  await writeRows(lake, pBlocks, 'data/a.parquet', blocks([null, ...later]))
  await publish(lake, { p_blocks: ['data/a.parquet'] })
  expect(await datesInZones(lake, 'p_blocks')).toEqual([[null, '2022-10-01', null, '2022-10-02']])
  expect(await datesInZones(lake, 'p_block_times')).toEqual([[null, '2022-10-01', '2022-10-01', '2022-10-02']])
})

const readings = table({
  name: 'readings',
  comment: 'For tests.',
  key: ['height'],
  sortBy: [],
  partitionBy: [],
  history: 'versions',
  columns: {
    height: t.int64('Height.'),
    block_time: t.timestamp('Time.', { nullable: true }),
    observation_id: t.text('Observation.'),
    observed_at: t.timestamp('When.'),
    version_hash: t.text('Hash.'),
  },
})

test('tables of own pipelines have it, with their views, unless they have a column of that name', async () => {
  const lake = temporaryFolder()
  const own = { ...readings, name: 'own_dates', columns: { ...readings.columns, block_date: t.text('Own.') } }
  const text = { ...readings, name: 'own_texts', columns: { ...readings.columns, block_time: t.text('Time.') } }
  const rows = times.map((time, height) => ({
    height,
    block_time: time,
    observation_id: '1',
    observed_at: '2026-01-01 00:00:00+00',
    version_hash: 'a',
  }))
  await writeRows(lake, readings, 'data/a.parquet', rows)
  await writeRows(
    lake,
    own,
    'data/b.parquet',
    rows.map((row) => ({ ...row, block_date: 'own' })),
  )
  const file = (name: string, path: string) => ({ name, files: [{ path, rows: 4 }] })
  const described = derivedView({
    name: 'own_view',
    comment: 'For tests.',
    dependsOn: ['readings'],
    columns: {
      height: { type: 'BIGINT', comment: 'Height.' },
      block_time: { type: 'TIMESTAMP WITH TIME ZONE', comment: 'Time.' },
    },
    query: 'SELECT height, block_time FROM readings;',
  })
  await publishViews({
    lakeDir: lake,
    files: { snapshot: snapshot(1), tables: [file('readings', 'data/a.parquet'), file('own_dates', 'data/b.parquet')] },
    tables: [readings, own, text],
    derived: [...[readings, own, text].map(latestView), described],
  })
  for (const view of ['readings', 'readings_latest', 'own_view'])
    expect(await datesInZones(lake, view)).toEqual([dates])
  for (const view of ['own_dates', 'own_dates_latest'])
    expect(await datesInZones(lake, view)).toEqual([['own', 'own', 'own', 'own']])
  expect((await rowsOf(lake, 'DESCRIBE own_texts')).map((row) => row['column_name'])).not.toContain('block_date')
})

function blocks(shown: readonly (string | null)[] = times): TestRow[] {
  return shown.map((time, index) => ({
    network: 'local',
    height: index + 1,
    block_id: `block ${index + 1}`,
    parent_id: `block ${index}`,
    block_type: 'ApricotStandardBlock',
    tx_count: 0,
    block_time: time,
  }))
}
