import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, describe as group, test } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { declaredBy, describe, loadDeclared, tableList } from '../../src/cli/commands/declared.ts'
import { type Columns, type DerivedView, type Table, t } from '../../src/define/index.ts'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { republishLake, withLakeAsOf } from '../../src/run/publish/publish-views.ts'
import { gapsOf, lakeStatus } from '../../src/run/status/lake-status.ts'
import { compactLake } from '../../src/run/upkeep/compact.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { failureOf } from '../catalog/committed-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, query } from './lake-run.ts'
import { base, squares, squaresTable, writeSquares } from './squares.ts'

const stop = new AbortController().signal
const emit = () => undefined

group('a table of an own pipeline', () => {
  test('is queried, verified, repaired and compacted without the pipeline', async () => {
    const folder = newLake()
    await writeSquares(folder, squaresTable(), 0, 20)
    await writeSquares(folder, squaresTable(), 30, 45)
    const sums = 'select count(*)::int as n, sum(square)::int as total, any_value(parts[1].half) as half from squares'
    expect(await query(folder, sums)).toEqual([{ n: 35, total: 23_285, half: 'a' }])
    const lake = { folder }
    const status = await lakeStatus(lake)
    expect(gapsOf(status)).toEqual([
      { stream: 'mine/squares/all', table: 'squares', unit: 'squares', from: 20, to: 30 },
    ])
    expect((await verifyLake({ lake })).findings).toEqual([])
    const known = await loadDeclared({ lake: folder })
    expect(describe('squares', known)).toMatchObject({ kind: 'table', key: ['network', 'number'] })
    expect(tableList(known).map(({ name }) => name)).toContain('squares')
    expect(() => describe('squares', declaredBy([]))).toThrow('There is no table, view or pipeline "squares".')
    const { tables } = await compactLake(lake, { stop, emit })
    expect(tables).toMatchObject([{ name: 'squares', filesAfter: 1, rows: 35 }])
    expect(await query(folder, sums)).toEqual([{ n: 35, total: 23_285, half: 'a' }])
    expect((await verifyLake({ lake })).findings).toEqual([])

    const { tables: visible } = await (await openCatalog(lake, [])).files()
    const file = visible.find(({ name }) => name === 'squares')?.files[0]?.path ?? ''
    const path = join(folder, file)
    const bytes = readFileSync(path)
    bytes[100]! ^= 1
    writeFileSync(path, bytes)
    const [finding] = (await verifyLake({ lake })).findings
    expect(finding).toMatchObject({ kind: 'file.hash', table: 'squares', file })
    const { plan } = await repairLake({ lake, requested: null, dryRun: true, stop })
    expect(plan.files.map(({ table }) => table.name)).toEqual(['squares'])
    expect(plan.lost).toEqual([])
  })

  test('may gain, move and lose columns, and each column keeps its values', async () => {
    const folder = newLake()
    await writeSquares(folder, squaresTable(), 0, 10)
    const note = t.text('Note.', { nullable: true })
    const { network, number, square } = base as Record<'network' | 'number' | 'square', Columns[string]>
    const later = squaresTable({ note, square, number, network })
    const refused = await failureOf(writeSquares(folder, later, 10, 20))
    expect(refused).toMatchObject({ code: 'schema.changed', details: { column: 'parts', declared: 'not declared' } })
    expect(await query(folder, 'select count(*)::int as n from squares')).toEqual([{ n: 10 }])
    await writeSquares(folder, later, 10, 20, { dropsColumns: true })
    const rows =
      'select note, number::int as number, square::int as square from squares where number in (9, 10) order by 2'
    expect(await query(folder, rows)).toEqual([
      { note: null, number: 9, square: 81 },
      { note: null, number: 10, square: 100 },
    ])
    expect((await verifyLake({ lake: { folder } })).findings).toEqual([])
    // The column is another one now: files of the earlier one do not show their values.
    await writeSquares(folder, squaresTable({ ...later.columns, parts: base['parts']! }), 20, 25)
    const halves = 'select count(*)::int as n, count(parts)::int as known from squares'
    expect(await query(folder, halves)).toEqual([{ n: 25, known: 5 }])
    expect((await verifyLake({ lake: { folder } })).findings).toEqual([])
  })

  test.each<[string, Table, object]>([
    ['another key', squaresTable(base, { key: ['network'] }), { 'key declared': 'network' }],
    ['other folders', squaresTable(base, { partitionBy: [] }), { 'folders declared': 'none' }],
    ['another history', squaresTable(base, { history: 'versions' }), { 'history declared': 'versions' }],
    ['another type', squaresTable({ ...base, square: t.text('Its square.') }), { column: 'square' }],
  ])('is refused with %s before it reads anything', async (_, changed, details) => {
    const folder = newLake()
    await writeSquares(folder, squaresTable(), 0, 10)
    const refused = await failureOf(writeSquares(folder, changed, 10, 20))
    expect(refused).toMatchObject({ code: 'schema.changed', exitCode: 4, details: { table: 'squares', ...details } })
    expect(refused.hint).toContain('another name')
  })

  test('has views that its pipeline declares, also after a run without the pipeline', async () => {
    const folder = newLake()
    const columns = { network: { type: 'VARCHAR', comment: 'Network.' }, total: { type: 'BIGINT', comment: 'Sum.' } }
    const query1 = 'SELECT network, sum(number)::BIGINT AS total FROM squares GROUP BY network'
    const view = { name: 'sums', comment: 'Sums of numbers.', dependsOn: ['squares'], columns, query: query1 }
    const start = (views: readonly DerivedView[]) => {
      const jobs = [jobOf(squares(squaresTable(), 0, 5, views), {})]
      return runPipelines({ nodeUrl: 'http://127.0.0.1:1', lake: { folder }, jobs, stop, emit })
    }
    const refused = (change: object) => failureOf(start([{ ...view, ...change }]))
    expect(await refused({ query: 'SELECT nothing FROM squares' })).toMatchObject({ code: 'definition.view' })
    expect(await refused({ query: `${query1}; DROP VIEW squares` })).toMatchObject({
      details: {
        view: 'sums',
        reason: 'Its query is not one SELECT: it is another statement, such as COPY, ATTACH, PRAGMA or SET.',
      },
    })
    expect(await refused({ columns: { total: columns.total } })).toMatchObject({
      details: { reason: 'It declares the columns total BIGINT, and its query gives network VARCHAR, total BIGINT.' },
    })
    expect(await refused({ name: 'p_blocks' })).toMatchObject({ code: 'definition.reserved-name' })
    expect(await refused({ dependsOn: ['cubes'] })).toMatchObject({ code: 'definition.view' })
    await start([view])
    const expected = [{ network: 'mine', total: '10' }]
    expect(await query(folder, 'select * from sums')).toEqual(expected)
    await republishLake({ folder })
    expect(await query(folder, 'select * from sums')).toEqual(expected)
  })

  test('loses a column together with the views that read it, and the others are still shown', async () => {
    const folder = newLake()
    const viewOf = (name: string, query: string, dependsOn = ['squares']): DerivedView => {
      return { name, comment: 'A view.', dependsOn, columns: { n: { type: 'BIGINT', comment: 'N.' } }, query }
    }
    const views = [
      viewOf('halves', 'SELECT count(parts) AS n FROM squares'),
      viewOf('rows', 'SELECT count(*) AS n FROM squares'),
      viewOf('more', 'SELECT n + 1 AS n FROM rows', ['rows']),
    ]
    const warnings: object[] = []
    const start = (own: Table, to: number, declared: readonly DerivedView[]) =>
      runPipelines({
        nodeUrl: 'http://127.0.0.1:1',
        lake: { folder },
        jobs: [jobOf(squares(own, to - 10, to, declared), {})],
        stop,
        emit: (event) => void (event.kind === 'warning' && warnings.push(event)),
        dropsColumns: true,
      })
    await start(squaresTable(), 10, views)
    const { snapshotId } = await lakeStatus({ folder })
    const { parts: _, ...others } = base
    await start(squaresTable(others), 20, [viewOf('rows', 'SELECT count(number) AS n FROM squares')])
    expect(warnings).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('The view halves of an own pipeline does not work any more'),
        details: { reason: expect.stringContaining('parts') },
      }),
    ])
    expect(await query(folder, 'SELECT n::INT AS n FROM more')).toEqual([{ n: 21 }])
    await expect(query(folder, 'SELECT * FROM halves')).rejects.toThrow('halves')
    await start(squaresTable(others), 30, [])
    expect(await query(folder, 'SELECT n::INT AS n FROM more')).toEqual([{ n: 31 }])
    expect(warnings).toHaveLength(1)
    expect(await failureOf(start(squaresTable(others, { name: 'rows' }), 10, []))).toMatchObject({
      code: 'definition.taken',
      message: expect.stringContaining('a view named rows'),
    })
    const halves = 'SELECT n::INT AS n FROM halves'
    const then = await withLakeAsOf({ folder }, { snapshotId }, (file) => query(dirname(file), halves))
    expect(then).toEqual([{ n: 10 }])
  })

  test('is shown as of an earlier snapshot with the columns and views of that time', async () => {
    const folder = newLake()
    const viewOf = (what: string): DerivedView => ({
      name: 'halves',
      comment: 'Halves of numbers.',
      dependsOn: ['squares'],
      columns: { halves: { type: 'BIGINT', comment: 'How many.' } },
      query: `SELECT count(${what}) AS halves FROM squares`,
    })
    const start = (own: Table, to: number, what: string) => {
      const jobs = [jobOf(squares(own, to - 10, to, [viewOf(what)]), {})]
      return runPipelines({ nodeUrl: 'http://127.0.0.1:1', lake: { folder }, jobs, stop, emit, dropsColumns: true })
    }
    await start(squaresTable(), 10, 'parts')
    const { snapshotId } = await lakeStatus({ folder })
    const { parts: _, ...others } = base
    await start(squaresTable(others), 20, '*')
    const state = 'select count(*)::int as n, (select halves::int from halves) as halves from squares'
    const columns =
      "select count(*)::int as n from information_schema.columns where table_schema = 'main' and table_name = 'squares'"
    const shown = async (lake: string) => [await query(lake, state), await query(lake, columns)]
    expect(await shown(folder)).toEqual([[{ n: 20, halves: 20 }], [{ n: 3 }]])
    const then = [[{ n: 10, halves: 10 }], [{ n: 4 }]]
    expect(await withLakeAsOf({ folder }, { snapshotId }, (file) => shown(dirname(file)))).toEqual(then)
    await republishLake({ folder }, { asOf: { snapshotId } })
    expect(await shown(folder)).toEqual(then)
  })

  test('cannot have a nullable column in its key, and the run ends before it requests anything or creates a lake', async () => {
    const folder = newLake()
    const nullable = squaresTable({ ...base, number: t.int64('Number.', { nullable: true }) })
    expect(await failureOf(writeSquares(folder, nullable, 0, 10))).toMatchObject({
      code: 'definition.nullable-key',
      exitCode: 2,
      details: { table: 'squares', columns: 'number' },
    })
    expect(existsSync(folder)).toBe(false)
  })

  test('cannot have the name of a table of chainlake', async () => {
    const refused = await failureOf(writeSquares(newLake(), squaresTable(base, { name: 'p_blocks' }), 0, 10))
    expect(refused).toMatchObject({ code: 'definition.reserved-name' })
  })
})
