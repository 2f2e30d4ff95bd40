import { describe, expect, test } from 'vitest'
import { restPTransactions } from '../../../schemas/rest-transactions.ts'
import { verifyLists } from '../../../src/verify/damage.ts'
import { byText, factsOfStream } from '../../lib/stream-of.ts'

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
  }
}

describe('the check of the rows that list commits read', () => {
  test('has no finding when each row was stored or already known', () => {
    const sums = { rowsRead: 480, rowsNew: 476, rowsKnown: 4, progressItems: 476 }
    expect(verifyLists(lake(476, sums))).toEqual([])
  })

  test('finds rows that were read but are not in the files', () => {
    const [finding, ...others] = verifyLists(
      lake(326, { rowsRead: 476, rowsNew: 326, rowsKnown: 0, progressItems: 476 }),
    )
    expect(finding).toMatchObject({ kind: 'catalog.rows', table, stream, rows: 150 })
    expect(others).toEqual([])
  })

  test('finds items of the progress that have no rows', () => {
    const [finding, ...others] = verifyLists(
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

  test('finds rows that are missing in the files later', () => {
    const [finding] = verifyLists(lake(400, { rowsRead: 476, rowsNew: 476, rowsKnown: 0, progressItems: 476 }))
    expect(finding).toMatchObject({ kind: 'catalog.rows', expected: '476 rows', found: '400 rows', rows: 76 })
  })

  test('has no finding after a repair that also removed the rows from the counts', () => {
    const sums = { rowsRead: 400, rowsNew: 400, rowsKnown: 0, progressItems: 0 }
    expect(verifyLists(lake(400, sums))).toEqual([])
  })

  test('finds rows in the files that no commit recorded', () => {
    const more = lake(476, { rowsRead: 76, rowsNew: 76, rowsKnown: 0, progressItems: 76 })
    expect(verifyLists(more)).toMatchObject([
      { kind: 'catalog.rows', table, stream, expected: '76 rows', found: '476 rows', rows: 400 },
    ])
    expect(verifyLists(lake(476, null))).toMatchObject([{ expected: '0 rows', found: '476 rows' }])
  })
})
