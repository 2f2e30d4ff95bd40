import { afterAll, describe, expect, test } from 'vitest'
import { pInputs } from '../../../schemas/p-chain.ts'
import { restPTransactions } from '../../../schemas/rest-transactions.ts'
import { catalogColumns } from '../../../src/catalog/schema.ts'
import { verifyCatalog } from '../../../src/verify/catalog-checks.ts'
import { type LakeRows, openEngine } from '../../../src/verify/lake.ts'
import { byText, factsOfStream } from '../../lib/stream-of.ts'

const engine = await openEngine(new AbortController().signal, '')
afterAll(() => engine.close())

const stream = 'local/rest-transactions/p-chain'
const table = 'rest_p_transactions'

/** A stream with rows in the lake, and the counts that its commits recorded. */
function lake(rows: number, sums: object | null) {
  const counts = { stream, table, rowsRead: 0, rowsNew: 0, rowsKnown: 0, progressItems: 0, ...sums }
  const streams = byText(factsOfStream(stream, { pipeline: 'rest-transactions', walk: 'pageChain', tables: [table] }))
  return {
    streams,
    declared: [restPTransactions],
    lists: sums === null ? [] : [counts],
    coverage: [],
    written: [{ stream, table, rows, bytes: 10 * rows }],
    tables: [{ name: table, columns: [], files: [{ path: 'a', rows, committedRows: rows, sources: [] }] }],
    contradictions: [],
    networks: [],
    observations: new Map(),
  }
}

const verifyLists = (inventory: object) => verifyCatalog({ engine, inventory } as unknown as LakeRows)

describe('the check of the rows that list commits read', () => {
  test('has no finding when each row was stored or already known', async () => {
    const sums = { rowsRead: 480, rowsNew: 476, rowsKnown: 4, progressItems: 476 }
    expect(await verifyLists(lake(476, sums))).toEqual([])
  })

  test('finds rows that were read but are not in the files', async () => {
    const [finding, ...others] = await verifyLists(
      lake(326, { rowsRead: 476, rowsNew: 326, rowsKnown: 0, progressItems: 476 }),
    )
    expect(finding).toMatchObject({ kind: 'catalog.rows', table, stream, rows: 150 })
    expect(others).toEqual([])
  })

  test('finds items of the progress that have no rows', async () => {
    const [finding, ...others] = await verifyLists(
      lake(326, { rowsRead: 326, rowsNew: 326, rowsKnown: 0, progressItems: 476 }),
    )
    expect(finding).toMatchObject({
      kind: 'catalog.rows',
      stream,
      expected: '476 items',
      found: '326 rows read',
      rows: 150,
    })
    expect(others).toEqual([])
  })

  test('finds rows that are missing in the files later', async () => {
    const [finding] = await verifyLists(lake(400, { rowsRead: 476, rowsNew: 476, rowsKnown: 0, progressItems: 476 }))
    expect(finding).toMatchObject({ kind: 'catalog.rows', expected: '476 rows', found: '400 rows', rows: 76 })
  })

  test('has no finding after a repair that also removed the rows from the counts', async () => {
    const sums = { rowsRead: 400, rowsNew: 400, rowsKnown: 0, progressItems: 0 }
    expect(await verifyLists(lake(400, sums))).toEqual([])
  })

  test('finds rows in the files that no commit recorded', async () => {
    const more = lake(476, { rowsRead: 76, rowsNew: 76, rowsKnown: 0, progressItems: 76 })
    expect(await verifyLists(more)).toMatchObject([
      { kind: 'catalog.rows', table, stream, expected: '76 rows', found: '476 rows', rows: 400 },
    ])
    expect(await verifyLists(lake(476, null))).toMatchObject([{ expected: '0 rows', found: '476 rows' }])
  })
})

describe('the check of what the catalog covers', () => {
  const of = (table: string, from: number, to: number, stream = 'local/P/block') => ({
    ...{ network: 'local', stream, table, rows: 0 },
    slice: { from, to },
  })
  const verify = (coverage: readonly object[], tables: readonly object[] = []) =>
    verifyLists({ ...lake(0, null), streams: new Map(), written: [], coverage, tables })

  test('has no finding when tables of a stream cover the same, also in other slices, or a table with one row for each block covers more', async () => {
    const whole = [of('p_inputs', 0, 30), of('p_outputs', 0, 10), of('p_outputs', 10, 30)]
    expect(await verify([...whole, of('p_blocks', 0, 90)])).toEqual([])
    expect(await verify([of('p_inputs', 0, 30)])).toEqual([])
    const name = "local/a\u001fb\u001ec'd\u0000e"
    expect(await verify([of('p_inputs', 0, 30, name), of('p_outputs', 0, 30, name)])).toEqual([])
  })

  test.each([
    [
      'reversed',
      [of('p_inputs', 5, 5)],
      { message: 'A covered slice is empty or reversed.', slice: { from: 5, to: 5 } },
    ],
    [
      'overlapping',
      [of('p_inputs', 0, 10), of('p_inputs', 8, 20)],
      { message: 'Two covered slices overlap.', slice: { from: 8, to: 20 }, found: '[0, 10)' },
    ],
    [
      'covered alone',
      [of('p_inputs', 0, 10), of('p_inputs', 20, 40), of('p_outputs', 0, 10), of('p_outputs', 20, 30)],
      { table: 'p_inputs', slice: { from: 20, to: 40 }, found: '[30, 40)' },
    ],
    [
      'of the chains of a network',
      [of('chains', 0, 2, 'local/chains')],
      { table: 'chains', slice: { from: 0, to: 2 } },
    ],
  ])('finds a slice that is %s', async (_, coverage, expected) => {
    expect(await verify(coverage)).toMatchObject([{ kind: 'catalog.coverage', network: 'local', ...expected }])
  })

  test('finds files of slices that are not covered, with fewer rows than committed, and columns with another type', async () => {
    const { stream, slice } = of('p_inputs', 0, 30)
    const sources = [{ stream, slice }]
    const file = { path: 'data/a.parquet', rows: 3, committedRows: 4, sources }
    const [column] = catalogColumns(pInputs)
    const columns = [{ ...column, type: 'blob' }]
    const found = await verify([{ ...of('p_inputs', 0, 20), rows: 3 }], [{ name: 'p_inputs', columns, files: [file] }])
    expect(found).toMatchObject([
      {
        kind: 'catalog.table',
        table: 'p_inputs',
        expected: `${column!.name} ${column!.type}`,
        found: `${column!.name} blob`,
      },
      { kind: 'catalog.rows', file: file.path, holds: sources, expected: '4 rows', found: '3 rows', rows: 1 },
      { kind: 'catalog.coverage', file: file.path, stream, slice },
    ])
    expect(found[2]).not.toHaveProperty('holds')
  })
})
