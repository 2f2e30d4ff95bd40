import { describe, expect, test } from 'vitest'
import { observations } from '../../schemas/lake.ts'
import { latestView, type Table, t, table } from '../../src/define/index.ts'
import { publishViews, rowsOf, snapshot, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

const found = {
  observation_id: t.address('Observation.'),
  observed_at: t.timestamp('When.'),
}

const versions = table({
  name: 'coins',
  comment: 'Coins.',
  key: ['network', 'coin', 'observed_at'],
  sortBy: ['coin'],
  partitionBy: [],
  history: 'versions',
  columns: {
    network: t.text('Network.'),
    coin: t.text('Coin.', { nullable: true }),
    ...found,
    version_hash: t.hex('Hash.'),
    present: t.boolean('Present.'),
    amount: t.u64('Amount.'),
  },
})

const { present, ...withoutPresent } = versions.columns
const points: Table = { ...versions, name: 'points', columns: withoutPresent }

const balances = table({
  name: 'holdings',
  comment: 'Holdings.',
  key: ['network', 'coin', 'observation_id'],
  sortBy: ['coin'],
  partitionBy: [],
  history: 'observations',
  coverage: { filters: { coins: 'coin' } },
  columns: { network: t.text('Network.'), subject: t.address('Subject.'), ...found, coin: t.text('Coin.') },
})

const extras: Table = { ...balances, name: 'extras', coverage: { filters: { coins: 'coin' }, needs: 'extras' } }
const rowsOnly: Table = { ...balances, name: 'rows_only', history: 'rows', coverage: null }
const declared: Table[] = [versions, points, balances, extras, observations]

async function lakeOf(rows: Readonly<Record<string, readonly TestRow[]>>): Promise<string> {
  const lake = temporaryFolder()
  const filled = declared.filter(({ name }) => rows[name] !== undefined)
  for (const table of filled) await writeRows(lake, table, `data/${table.name}.parquet`, rows[table.name] ?? [])
  const files = filled.map(({ name }) => ({ name, files: [{ path: `data/${name}.parquet`, rows: 1 }] }))
  const derived = [versions, points, balances, extras].map(latestView)
  await publishViews({ lakeDir: lake, files: { snapshot: snapshot(1), tables: files }, tables: declared, derived })
  return lake
}

const version = (coin: string | null, day: number, amount: number, network = 'fuji'): TestRow => ({
  network,
  coin,
  observation_id: `o${day}`,
  observed_at: `2026-11-0${day} 00:00:00+00`,
  version_hash: `h${amount}`,
  amount,
})

describe('the view of the latest versions', () => {
  test('has the newest version of each row that is present', async () => {
    const coins = [
      { ...version('a', 1, 1), present: true },
      { ...version('a', 3, 3), present: true },
      { ...version('a', 2, 2), present: true },
      { ...version('a', 1, 9, 'local'), present: true },
      { ...version('gone', 1, 1), present: true },
      { ...version('gone', 2, 1), present: false },
      { ...version('back', 1, 1), present: false },
      { ...version('back', 2, 4), present: true },
      { ...version(null, 1, 5), present: true },
      { ...version(null, 2, 6), present: true },
    ]
    const lake = await lakeOf({ coins, points: [version('a', 2, 2), version('a', 1, 1)] })
    const latest = await rowsOf(lake, 'SELECT network, coin, amount, present FROM coins_latest ORDER BY ALL')
    expect(latest).toEqual([
      { network: 'fuji', coin: 'a', amount: '3', present: true },
      { network: 'fuji', coin: 'back', amount: '4', present: true },
      { network: 'fuji', coin: null, amount: '6', present: true },
      { network: 'local', coin: 'a', amount: '9', present: true },
    ])
    expect(await rowsOf(lake, 'SELECT coin, amount FROM points_latest')).toEqual([{ coin: 'a', amount: '2' }])
  })
})

describe('the view of the latest observations', () => {
  const row = (subject: string, id: number, coin: string, network = 'fuji'): TestRow => ({
    network,
    subject,
    coin,
    observation_id: `o${id}`,
    observed_at: `2026-11-0${id} 00:00:00+00`,
  })
  const complete = (pipeline: string, subject: string, id: number, network = 'fuji'): TestRow => ({
    network,
    pipeline,
    subject,
    observation_id: `o${id}`,
    observed_at: `2026-11-0${id} 00:00:00+00`,
    completed_at: `2026-11-0${id} 01:00:00+00`,
  })
  const latestOf = async (holdings: TestRow[], complete: TestRow[]) =>
    rowsOf(
      await lakeOf({ holdings, observations: complete }),
      'SELECT network, subject, coin, observation_id AS id FROM holdings_latest ORDER BY ALL',
    )

  test('has all rows of the latest observation of each subject', async () => {
    const holdings = [row('w', 1, 'a'), row('w', 1, 'b'), row('w', 2, 'b'), row('w', 2, 'c'), row('v', 1, 'd')]
    const others = [row('w', 1, 'x', 'local')]
    const done = [complete('balances', 'w', 1), complete('balances', 'w', 2), complete('balances', 'v', 1)]
    expect(await latestOf([...holdings, ...others], [...done, complete('balances', 'w', 1, 'local')])).toEqual([
      { network: 'fuji', subject: 'v', coin: 'd', id: 'o1' },
      { network: 'fuji', subject: 'w', coin: 'b', id: 'o2' },
      { network: 'fuji', subject: 'w', coin: 'c', id: 'o2' },
      { network: 'local', subject: 'w', coin: 'x', id: 'o1' },
    ])
  })

  test('has no rows of a subject when its latest observation is empty', async () => {
    const done = [complete('balances', 'w', 1), complete('balances', 'w', 2)]
    expect(await latestOf([row('w', 1, 'a')], done)).toEqual([])
  })

  const one = (subject: string, coin: string, id: string) => ({ network: 'fuji', subject, coin, id })

  test('has only the newest row when several subjects contain it', async () => {
    const holdings = [row('w', 1, 'a'), row('w?coins=a', 2, 'a'), row('w', 1, 'b')]
    const done = [complete('balances', 'w', 1), complete('balances', 'w?coins=a', 2)]
    expect(await latestOf(holdings, done)).toEqual([one('w', 'b', 'o1'), one('w?coins=a', 'a', 'o2')])
  })

  test('omits a row that a newer observation of another subject no longer found', async () => {
    const known = [row('w', 1, 'a'), row('w', 1, 'b'), row('w', 1, 'c')]
    const readThen = (subject: string, ...rows: TestRow[]) =>
      latestOf([...known, ...rows], [complete('balances', 'w', 1), complete('balances', subject, 3)])
    // A subject with named coins covers those coins. A subject without a filter covers all coins.
    expect(await readThen('w?coins=a,b', row('w?coins=a,b', 3, 'b'))).toEqual([
      one('w', 'c', 'o1'),
      one('w?coins=a,b', 'b', 'o3'),
    ])
    expect(await readThen('w?more=true', row('w?more=true', 3, 'c'))).toEqual([one('w?more=true', 'c', 'o3')])
    expect(await readThen('w2', row('w2', 3, 'd'))).toHaveLength(4)
    // The name of a subject shortens a long list; such a subject covers the coins that it had before.
    const listed = [row('w?coins=x+9:f00', 2, 'a'), row('w?coins=x+9:f00', 3, 'x')]
    const found = await latestOf(
      [...known, ...listed],
      [
        complete('balances', 'w', 1),
        complete('balances', 'w?coins=x+9:f00', 2),
        complete('balances', 'w?coins=x+9:f00', 3),
      ],
    )
    expect(found.map(({ coin }) => coin)).toEqual(['b', 'c', 'x'])
  })

  test('keeps a row when a newer observation did not request that table', async () => {
    const done = [complete('balances', 'w?extras=true', 1), complete('balances', 'w', 2)]
    const lake = await lakeOf({ extras: [row('w?extras=true', 1, 'a')], observations: done })
    expect(await rowsOf(lake, 'SELECT coin FROM extras_latest')).toEqual([{ coin: 'a' }])
  })

  test('ignores observations of another pipeline with the same subject', async () => {
    const done = [complete('balances', 'w', 1), complete('holders', 'w', 3)]
    expect(await latestOf([row('w', 1, 'a')], done)).toEqual([{ network: 'fuji', subject: 'w', coin: 'a', id: 'o1' }])
  })
})

test('the views of the latest rows have types and comments without any file', async () => {
  const lake = await lakeOf({})
  for (const view of [versions, points, balances, extras].map(latestView)) {
    expect(await rowsOf(lake, `SELECT * FROM ${view.name}`)).toEqual([])
    const columns = await rowsOf(
      lake,
      `SELECT column_name AS name, data_type AS type, comment FROM duckdb_columns() WHERE table_name = '${view.name}' ORDER BY column_index`,
    )
    expect(columns).toEqual(Object.entries(view.columns).map(([name, declared]) => ({ name, ...declared })))
  }
})

test('a table with immutable rows has no view of the latest rows', () => {
  expect(() => latestView(rowsOnly)).toThrow('no history')
})
