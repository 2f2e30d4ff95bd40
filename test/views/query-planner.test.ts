import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { t, table } from '../../src/define/index.ts'
import { openQueryPlanner, readScans } from '../../src/views/query-planner.ts'

const blocks = table({
  name: 'blocks',
  comment: 'For tests.',
  key: ['height'],
  sortBy: [],
  partitionBy: [],
  columns: {
    network: t.text('Network.'),
    height: t.int64('Height.'),
    amount: t.decimal38('Amount.'),
    block_time: t.timestamp('Time.'),
    manager_address: t.blob('Shown as text.'),
  },
})
const other = { ...blocks, name: 'other' }

let planner: Awaited<ReturnType<typeof openQueryPlanner>>
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const views = await instance.connect()
  await views.run('CREATE VIEW blocks AS SELECT 1; CREATE VIEW other AS SELECT 1')
  await views.run(
    'CREATE OR REPLACE VIEW blocks AS SELECT NULL::VARCHAR AS network, 1 AS height, 1 AS amount, now() AS block_time',
  )
  await views.run(
    'CREATE VIEW daily AS SELECT network, block_time::DATE AS day, count(*) AS n FROM blocks GROUP BY ALL',
  )
  await views.run("CREATE VIEW a_first AS SELECT * FROM daily WHERE network = 'main'")
  planner = await openQueryPlanner(views, [blocks, other])
  views.closeSync()
  instance.closeSync()
})
afterAll(() => planner.close())

/** Scans as `table: column operator value, …`. */
async function scansOf(sql: string): Promise<string[] | null> {
  const scans = await planner.scansOf(sql)
  return (
    scans?.map(({ table, bounds }) =>
      `${table}: ${bounds.map(({ column, operator, value }) => `${column} ${operator} ${value}`).join(', ')}`.trim(),
    ) ?? null
  )
}

test.each<[sql: string, scans: readonly string[] | null]>([
  ['SELECT count(*) FROM blocks', ['blocks:']],
  ['FROM blocks WHERE height >= -10 AND height < 5', ['blocks: height >= -10, height < 5']],
  ["FROM blocks WHERE network = 'it''s AND height>3'", ["blocks: network = it's AND height>3"]],
  [
    "FROM blocks WHERE block_time BETWEEN '2026-11-01' AND '2026-11-02 00:00:00.5'",
    ['blocks: block_time >= 2026-11-01 00:00:00+00, block_time <= 2026-11-02 00:00:00.5+00'],
  ],
  ["FROM a_first WHERE day > '2026-01-01'", ['blocks: network = main']],
  ['FROM blocks a JOIN blocks b USING (height) WHERE a.height = 7', ['blocks: height = 7', 'blocks: height = 7']],
  ['FROM blocks UNION ALL FROM other WHERE height > 1', ['blocks:', 'other: height > 1']],
  [
    'SELECT * FROM blocks WHERE height = (SELECT max(height) FROM other WHERE height < 3)',
    ['blocks:', 'other: height < 3'],
  ],
  ["FROM blocks WHERE network = addr('0xAB')", ['blocks: network = 0xab']],
  // A condition with alternatives becomes several scans.
  ['FROM blocks WHERE height IN (1, 5, 9)', ['blocks: height = 1', 'blocks: height = 5', 'blocks: height = 9']],
  ['FROM blocks WHERE height = -1 OR height > 5', ['blocks: height = -1', 'blocks: height > 5']],
  [
    "FROM blocks WHERE network IN ('it''s IN (1, 2)', 'b OR c', ') AND height=3') AND height < 7",
    ["it's IN (1, 2)", 'b OR c', ') AND height=3'].map((name) => `blocks: network = ${name}, height < 7`),
  ],
  [
    "FROM blocks WHERE network IN ('a', 'b') AND (height = 1 OR height = 5)",
    ['a', 'b'].flatMap((name) => [1, 5].map((at) => `blocks: network = ${name}, height = ${at}`)),
  ],
  [
    "FROM blocks WHERE block_time IN ('2026-11-01', '2026-12-01')",
    ['blocks: block_time = 2026-11-01 00:00:00+00', 'blocks: block_time = 2026-12-01 00:00:00+00'],
  ],
  // The catalog has statistics of times, and none of dates.
  [
    "FROM blocks WHERE block_date = '2026-11-01'",
    ['blocks: block_time >= 2026-11-01T00:00:00.000Z, block_time < 2026-11-02T00:00:00.000Z'],
  ],
  [
    "FROM blocks WHERE block_date > '2026-11-01' AND block_date <= '2026-12-31'",
    ['blocks: block_time >= 2026-11-02T00:00:00.000Z, block_time < 2027-01-01T00:00:00.000Z'],
  ],
  [
    "FROM blocks WHERE block_date >= '2026-11-01' AND block_date < '2026-12-31'",
    ['blocks: block_time >= 2026-11-01T00:00:00.000Z, block_time < 2026-12-31T00:00:00.000Z'],
  ],
  // The planner finds no bounds for these, so the query reads the whole table. Statistics of an address are those of its bytes.
  ["FROM blocks WHERE manager_address = '0x00ab'", ['blocks:']],
  ['FROM blocks WHERE height = 1 OR height IS NULL', ['blocks:']],
  ['FROM blocks WHERE height IN (1, NULL)', ['blocks:']],
  ['FROM blocks WHERE height NOT IN (1, 5)', ['blocks:']],
  [`FROM blocks WHERE height IN (${Array.from({ length: 33 }, (_, n) => n * 7).join(', ')})`, ['blocks:']],
  ['FROM blocks WHERE height = 1 OR amount > 5', ['blocks:']],
  ['FROM blocks WHERE height % 2 = 0', ['blocks:']],
  ['FROM blocks ORDER BY height DESC LIMIT 3', ['blocks:']],
  ['FROM blocks LEFT JOIN other ON blocks.height = other.height AND blocks.height > 5', ['blocks:', 'other:']],
  ["FROM blocks WHERE network = 'a' || chr(10) || 'height>5' || chr(10) || 'b'", ['blocks:']],
  ["FROM query('FROM blocks WHERE height = 3')", ['blocks: height = 3']],
  ['SELECT 1', []],
  ['SELECT * FROM blocks WHERE 1 = 0', []],
  // The planner does not understand these.
  ['FROM blocks POSITIONAL JOIN other', null],
  ['PIVOT blocks ON network USING sum(height)', null],
  ['SET threads = 1', null],
  ['SELECT 1; FROM blocks', null],
  ['FROM nowhere', null],
  ['CREATE TEMP TABLE x AS FROM blocks', null],
])('the scans of a query: %s', async (sql, scans) => {
  const found = await scansOf(sql)
  expect(found?.sort() ?? null).toEqual(scans === null ? null : [...scans].sort())
})

test('the scans of a filter contain every row that passes it', async () => {
  let seed = 7
  const pick = <T>(list: readonly T[]): T => {
    seed = (seed * 48_271) % 2_147_483_647
    return list[seed % list.length] as T
  }
  const names = ['a', "b' OR height=1", "'", "' AND height<2", 'c, d', "e')", "f IN ('g')", '', '-1', '::DATE']
  const heights = [-7, -1, 0, 1, 2, 10, 2_147_483_648]
  const text = (value: string | number) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `${value}`)
  const condition = (depth: number): string => {
    if (depth > 0 && pick([true, true, false])) {
      const both = [condition(depth - 1), condition(depth - 1)]
      return `(${both.join(pick([' AND ', ' OR ']))})`
    }
    const [column, values] = pick<[string, readonly (string | number)[]]>([
      ['network', names],
      ['height', heights],
    ])
    if (pick([true, false])) return `${column} ${pick(['=', '<', '<=', '>', '>='])} ${text(pick(values))}`
    return `${column} IN (${[1, 2, 3].map(() => text(pick(values))).join(', ')})`
  }
  const instance = await DuckDBInstance.create(':memory:')
  const rows = await instance.connect()
  const all = names.flatMap((name) => heights.map((height) => `(${text(name)}, ${height}::BIGINT)`))
  await rows.run(`CREATE TABLE blocks AS FROM (VALUES ${all.join(', ')}) AS v(network, height)`)
  let narrowed = 0
  for (let tries = 0; tries < 80; tries++) {
    const sql = `SELECT network, height FROM blocks WHERE ${condition(2)}`
    const taken = (await rows.runAndReadAll(sql)).getRowsJson() as [string, string][]
    const scans = (await planner.scansOf(sql)) ?? []
    if (scans.some(({ bounds }) => bounds.length > 0)) narrowed++
    const isRead = ([network, height]: [string, string]) =>
      scans.some(({ bounds }) =>
        bounds.every(({ column, operator, value }) => {
          const order =
            column === 'height'
              ? Number(height) - Number(value)
              : Buffer.compare(Buffer.from(network), Buffer.from(value))
          return { '=': order === 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator]
        }),
      )
    expect(
      taken.filter((row) => !isRead(row)),
      sql,
    ).toEqual([])
  }
  rows.closeSync()
  instance.closeSync()
  expect(narrowed).toBeGreaterThan(25)
})

test('the planner reads a value of 20,000 characters completely', async () => {
  const long = 'x'.repeat(20_000)
  expect(await scansOf(`FROM blocks WHERE network = '${long}'`)).toEqual([`blocks: network = ${long}`])
})

test('the planner finds a table in any text that names it or one of its views', () => {
  expect(planner.mentioned('pivot BLOCKS on network')).toEqual(['blocks'])
  expect(planner.mentioned('summarize "a_first"; from other')).toEqual(['blocks', 'other'])
  expect(planner.mentioned('select blocks_of from nothing')).toEqual([])
})

test('a plan with an unknown node is not understood', () => {
  const scan = { name: 'SEQ_SCAN ', extra_info: { Table: 'memory.main.blocks', Filters: 'height=5' }, children: [] }
  expect(readScans([scan])).toEqual([{ table: 'blocks', bounds: [{ column: 'height', operator: '=', value: '5' }] }])
  expect(readScans([{ name: 'SOMETHING_NEW', extra_info: {}, children: [scan] }])).toBeNull()
})
