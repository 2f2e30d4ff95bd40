import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { pBlocks, pOutputs } from '../../schemas/p-chain.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { type DerivedView, identity, shownColumns, t, table } from '../../src/define/index.ts'
import { publishedViews } from '../../src/views/published-views.ts'
import { openLake } from '../../src/views/query.ts'
import { publish, publishViews, rowsOf, snapshot, temporaryFolder, writeQuery, writeRows } from './test-lake.ts'

const olderColumns = {
  id: t.int64('Id.'),
  tags: t.list(t.text('Tag.'), "The thing's tags."),
  size: t.struct({ width: t.int64('Width.'), unit: t.text('Unit.') }, 'Size.'),
}
const newerColumns = {
  ...olderColumns,
  weight: t.u64('Weight.', { nullable: true }),
  labels: t.list(t.text('Label.'), 'Labels.', { nullable: true }),
  place: t.struct({ x: t.double('X.') }, 'Place.', { nullable: true }),
  seen: t.timestamp('Seen.', { nullable: true }),
}
const older = things(olderColumns)
const newer = things(newerColumns)
const oldRow = "SELECT 1::BIGINT AS id, ['a', 'b'] AS tags, {width: 5::BIGINT, unit: 'm'} AS size"
const newRow =
  "SELECT 2::BIGINT AS id, [] ::VARCHAR[] AS tags, {width: 6::BIGINT, unit: 'm'} AS size, 18446744073709551615::DECIMAL(20,0) AS weight, ['z'] AS labels, {x: 0.5::DOUBLE} AS place, TIMESTAMPTZ '2026-11-21 10:35:00.000001+00' AS seen"

function things<C extends typeof olderColumns>(columns: C) {
  return table({
    name: 'things',
    comment: 'Things.',
    key: ['id'],
    sortBy: ['id'],
    partitionBy: [identity('id')],
    columns,
  })
}

describe('publishViews', () => {
  test('fills columns that an older file does not have with null, nested columns too', async () => {
    const lake = temporaryFolder()
    await writeQuery(lake, older, 'data/old.parquet', oldRow)
    await writeQuery(lake, newer, 'data/new.parquet', newRow)
    await publish(lake, { things: ['data/old.parquet', 'data/new.parquet'] }, 1, [newer])
    expect(await rowsOf(lake, 'SELECT * FROM things ORDER BY id')).toEqual([
      { id: 1, tags: ['a', 'b'], size: { width: 5, unit: 'm' }, weight: null, labels: null, place: null, seen: null },
      {
        id: 2,
        tags: [],
        size: { width: 6, unit: 'm' },
        weight: '18446744073709551615',
        labels: ['z'],
        place: { x: 0.5 },
        seen: '2026-11-21T10:35:00.000001Z',
      },
    ])
  })

  test.each<[string, object, string]>([
    ['a second statement', { query: "SELECT 1 AS n; COPY (SELECT 1) TO 'FILE'; SELECT 1" }, 'another statement'],
    ['two SELECTs', { query: 'SELECT 1 AS n; SELECT 2' }, 'there are 2 statements'],
    ['another statement', { query: "COPY (SELECT 1) TO 'FILE'" }, 'another statement'],
    ['a way out of its date', { query: 'SELECT 1 AS n', dateOf: "n)); COPY (SELECT 1) TO 'FILE'; --" }, 'Parser Error'],
    ['the name of a built-in view', { name: 'p_blocks', query: 'SELECT 1 AS n' }, 'has this name'],
    ['a name that is a path', { name: '../x', query: 'SELECT 1 AS n' }, 'not snake_case'],
    ['another file', { query: "SELECT content AS n FROM read_text('/etc/hostname')" }, 'may read no file'],
    [
      'another file when it may',
      {
        query:
          "SELECT content FROM read_text(CASE WHEN current_setting('enable_external_access') THEN '/etc/hostname' ELSE 'FILE' END)",
      },
      'may read no file',
    ],
    ['settings', { query: 'SET enable_external_access = true' }, 'another statement'],
  ])('refuses a view from the catalog with %s, and runs nothing of it', async (_, change, reason) => {
    const lake = temporaryFolder()
    const file = join(lake, 'written.txt')
    const columns = { n: { type: 'INTEGER', comment: 'N.' } }
    const view = { name: 'nice_view', comment: 'A view.', dependsOn: [], columns, ...change } as DerivedView
    const hostile = { ...view, query: view.query?.replaceAll('FILE', file) ?? '' }
    const publishing = publishViews({
      lakeDir: lake,
      files: { snapshot: snapshot(1), tables: [] },
      tables: [pBlocks],
      derived: [{ ...view, name: 'built_in', query: 'SELECT 1 AS n' }],
      own: { tables: [], derived: [hostile] },
    })
    await expect(publishing).rejects.toMatchObject({
      code: 'catalog.view',
      details: { view: view.name, reason: expect.stringContaining(reason) },
    })
    expect(readdirSync(lake)).toEqual([])
  })

  test('quotes the names of nested columns, which the catalog may hold as it likes', async () => {
    const lake = temporaryFolder()
    const file = join(lake, 'written.txt')
    const nested = t.struct({ [`a" BIGINT)) AS x; COPY (SELECT 1) TO '${file}'; --`]: t.int64('A.') }, 'Size.')
    const own = { ...older, name: 'mine', columns: { ...olderColumns, size: nested } }
    await publishViews({
      lakeDir: lake,
      files: { snapshot: snapshot(1), tables: [] },
      tables: [pBlocks],
      derived: [],
      own: { tables: [own], derived: [] },
    })
    expect(existsSync(file)).toBe(false)
    expect(await rowsOf(lake, 'SELECT size FROM mine')).toEqual([])
  })

  test('ignores partition values in folder names and files that are not in the list', async () => {
    const lake = temporaryFolder()
    await writeQuery(lake, older, 'data/id=7/a.parquet', oldRow)
    await writeQuery(lake, older, 'data/id=7/b.parquet', oldRow)
    await publish(lake, { things: ['data/id=7/a.parquet'] }, 1, [older])
    expect(await rowsOf(lake, 'SELECT id FROM things')).toEqual([{ id: 1 }])
  })

  test('creates every table and derived view with types and comments, without any file', async () => {
    const lake = temporaryFolder()
    await publish(lake, {})
    const any = tables.map(({ name }) => `SELECT '${name}' AS name FROM ${name}`)
    expect(await rowsOf(lake, any.join(' UNION ALL '))).toEqual([])
    const columns = await rowsOf(
      lake,
      'SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index',
    )
    for (const declared of tables) {
      expect(columns.filter((row) => row['table_name'] === declared.name)).toEqual(
        Object.entries(shownColumns(declared)).map(([name, { comment }]) => ({
          table_name: declared.name,
          column_name: name,
          comment,
        })),
      )
    }
    const comments = await rowsOf(lake, 'SELECT view_name, comment FROM duckdb_views() WHERE NOT internal')
    expect(comments.map((row) => row['view_name']).sort()).toEqual(
      [...tables, ...derivedViews]
        .map(({ name }) => name)
        .concat('chainlake_lake')
        .sort(),
    )
    expect(comments.filter((row) => !row['comment'])).toEqual([])
    expect(await rowsOf(lake, 'SELECT snapshot_id, lake_path FROM chainlake_lake')).toEqual([
      { snapshot_id: 1, lake_path: lake },
    ])
  })

  test('creates a view with the same types with and without files', async () => {
    const described = async (lake: string) => rowsOf(lake, 'DESCRIBE p_outputs')
    const [empty, filled] = [temporaryFolder(), temporaryFolder()]
    await publish(empty, {})
    await writeRows(filled, pOutputs, 'data/a.parquet', [{ network: 'fuji', height: 1 }])
    await publish(filled, { p_outputs: ['data/a.parquet'] })
    expect(await described(filled)).toEqual(await described(empty))
  })

  test.each(["it's", 'a"b', 'semi;--', 'a[b]c', 'st*r', 'sp ace', 'ünï', '{a,b}', '%20', 'back\\slash'])(
    'works in a folder with the name %s',
    async (name) => {
      const lake = temporaryFolder(name)
      await writeQuery(lake, older, 'data/a.parquet', oldRow)
      await publish(lake, { things: ['data/a.parquet'] }, 1, [older])
      expect(await rowsOf(lake, 'SELECT id FROM things')).toEqual([{ id: 1 }])
      expect(await shownIn(lake)).toBe(1)
    },
  )

  test('writes views.sql with the same views as lake.duckdb', async () => {
    const lake = temporaryFolder("it's")
    await writeRows(lake, pOutputs, 'data/a.parquet', [{ network: 'fuji', height: 1, addresses: ['x'] }])
    await publish(lake, { p_outputs: ['data/a.parquet'] })
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(readFileSync(join(lake, 'views.sql'), 'utf8'))
    const listing =
      'SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index'
    const fromText = (await connection.runAndReadAll(listing)).getRowsJson()
    const rows = (await connection.runAndReadAll('SELECT network, height, addresses FROM p_outputs')).getRowsJson()
    connection.closeSync()
    instance.closeSync()
    expect(rows).toEqual([['fuji', '1', ['x']]])
    const fromFile = (await rowsOf(lake, listing)).map((row) => Object.values(row))
    expect(fromText).toEqual(fromFile)
  })

  test('leaves lake.duckdb read-only and no other files next to the views', async () => {
    const lake = temporaryFolder()
    writeFileSync(join(lake, 'lake.duckdb.wal'), 'left by a writer')
    await publish(lake, {})
    await publish(lake, {}, 2)
    expect(readdirSync(lake).sort()).toEqual(['lake.duckdb', 'views.sql'])
    expect(statSync(join(lake, 'lake.duckdb')).mode & 0o777).toBe(0o444)
  })

  test('keeps the published views when it fails', async () => {
    const lake = temporaryFolder()
    await publish(lake, {})
    const missing = { code: 'verify.missing', exitCode: 6, details: { file: 'data/missing.parquet' } }
    await expect(publish(lake, { p_blocks: ['data/missing.parquet'] }, 2)).rejects.toMatchObject(missing)
    expect(await shownIn(lake)).toBe(1)
    expect(readdirSync(lake).sort()).toEqual(['lake.duckdb', 'views.sql'])
  })
})

describe('the planner', () => {
  test('knows the number of rows of a table', async () => {
    const lake = temporaryFolder()
    await writeQuery(lake, older, 'data/a.parquet', oldRow)
    const files = Array.from({ length: 3 }, () => ({ path: 'data/a.parquet', rows: 2_000_000 }))
    const named = { snapshot: snapshot(1), tables: [{ name: 'things', files }] }
    await publishViews({ lakeDir: lake, files: named, tables: [older], derived: [] })
    const [row] = await rowsOf(lake, 'EXPLAIN SELECT id FROM things')
    expect(row?.['explain_value']).toContain('~6,000,000 rows')
  })
})

describe('row groups', () => {
  test('are not read when their statistics exclude them, so damage in them does not matter', async () => {
    const lake = temporaryFolder()
    const query =
      "SELECT range AS id, ['a'] AS tags, {width: (hash(range) >> 2)::BIGINT, unit: 'm'} AS size FROM range(100000)"
    await writeQuery(lake, older, 'data/a.parquet', query, 10_240)
    const bytes = readFileSync(join(lake, 'data/a.parquet'))
    writeFileSync(join(lake, 'data/a.parquet'), bytes.fill(0xee, 4, bytes.length >> 2))
    await publish(lake, { things: ['data/a.parquet'] }, 1, [older])
    const units = (condition: string) => rowsOf(lake, `SELECT size.unit AS unit FROM things WHERE ${condition}`)
    expect(await units('id = 55555')).toEqual([{ unit: 'm' }])
    expect(await units('id > 99997')).toHaveLength(2)
    await expect(units('id = 5')).rejects.toThrow()
  })
})

const shownIn = async (lake: string) => (await publishedViews(lake))?.snapshotId ?? null

describe('publishedViews', () => {
  test('is null for a lake without views, with one of two files, or with files of different publications', async () => {
    const lake = temporaryFolder()
    expect(await shownIn(lake)).toBeNull()
    await publish(lake, {}, 7)
    expect(await shownIn(lake)).toBe(7)
    const text = readFileSync(join(lake, 'views.sql'))
    await publish(lake, {}, 8)
    writeFileSync(join(lake, 'views.sql'), text)
    expect(await shownIn(lake)).toBeNull()
    writeFileSync(join(lake, 'views.sql'), 'anything')
    expect(await shownIn(lake)).toBeNull()
    await publish(lake, {}, 9)
    renameSync(join(lake, 'lake.duckdb'), join(lake, 'elsewhere'))
    expect(await shownIn(lake)).toBeNull()
  })

  test('is null after a move, and publishing again repairs the views', async () => {
    const lake = temporaryFolder()
    await writeQuery(lake, older, 'data/a.parquet', oldRow)
    await publish(lake, { things: ['data/a.parquet'] }, 3, [older])
    const moved = `${lake}-moved`
    renameSync(lake, moved)
    expect(await shownIn(moved)).toBeNull()
    await expect(rowsOf(moved, 'SELECT id FROM things')).rejects.toMatchObject({ code: 'query.other-place' })
    await publish(moved, { things: ['data/a.parquet'] }, 3, [older])
    expect(await shownIn(moved)).toBe(3)
    expect(await rowsOf(moved, 'SELECT id FROM things')).toEqual([{ id: 1 }])
  })
})

describe('the readers of a lake', () => {
  test('keep the views that they opened while newer views are published', async () => {
    const lake = temporaryFolder()
    await writeQuery(lake, older, 'data/a.parquet', oldRow)
    await writeQuery(lake, older, 'data/b.parquet', oldRow.replace('1::', '2::'))
    await publish(lake, { things: ['data/a.parquet'] }, 1, [older])
    const reader = await openLake(lake)
    const count = async () => {
      const { chunks } = await reader.query('SELECT count(*) FROM things')
      for await (const [row] of chunks) return row?.[0]
      return undefined
    }
    expect(await count()).toBe(1)
    await publish(lake, { things: ['data/a.parquet', 'data/b.parquet'] }, 2, [older])
    expect(await count()).toBe(1)
    expect(await rowsOf(lake, 'SELECT count(*) AS n FROM things')).toEqual([{ n: 2 }])
    reader.close()
    expect(existsSync(join(lake, 'lake.duckdb.wal'))).toBe(false)
  })

  test('in another process can open the views at any moment of a publication', async () => {
    const lake = temporaryFolder()
    await writeQuery(lake, older, 'data/a.parquet', oldRow)
    await publish(lake, { things: ['data/a.parquet'] }, 1, [older])
    const { child, ended } = startReader(lake)
    try {
      for (let snapshot = 2; child.exitCode === null; snapshot++)
        await publish(lake, { things: ['data/a.parquet'] }, snapshot, [older])
    } finally {
      child.kill()
    }
    const { code, printed, errors } = await ended
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    const seen: number[] = JSON.parse(printed)
    expect([...seen].sort((a, b) => a - b)).toEqual(seen)
  })
})

/** A process that reads until it has seen five snapshots. */
function startReader(lake: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', readerCode], {
    env: { ...process.env, LAKE: lake },
  })
  const ended = Promise.all([
    new Promise<number | null>((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]).then(([code, printed, errors]) => ({ code, printed, errors }))
  return { child, ended }
}

const readerCode = `
import { DuckDBInstance } from '@duckdb/node-api'
const seen = []
while (new Set(seen).size < 5) {
  const instance = await DuckDBInstance.create(process.env.LAKE + '/lake.duckdb', { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const answer = await connection.runAndReadAll('SELECT snapshot_id, (SELECT count(*) FROM things) FROM chainlake_lake')
  const [[snapshot, rows]] = answer.getRowsJson()
  if (Number(rows) !== 1) throw new Error('rows: ' + rows)
  seen.push(Number(snapshot))
  connection.closeSync()
  instance.closeSync()
}
console.log(JSON.stringify(seen))
`
