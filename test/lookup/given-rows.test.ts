import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import type { Table } from '../../src/define/index.ts'
import { withDuckDb } from '../../src/lib/duckdb.ts'
import { giveRows } from '../../src/lookup/engine.ts'

test('keys and columns that never change, of every table, are given to DuckDB', async () => {
  await withDuckDb(':memory:', async (connection) => {
    for (const [at, table] of (tables as readonly Table[]).entries()) {
      const names = [...new Set([...table.key, ...table.lasting])]
      await giveRows(connection, `given_${at}`, table, names, [{}, {}])
      const reader = await connection.runAndReadAll(`SELECT count(*), count(COLUMNS(*)) FROM given_${at}`)
      expect(reader.getRows()[0]?.slice(0, 2), table.name).toEqual([2n, 2n])
    }
  })
})

test('a number with a fraction is given as it is', async () => {
  const table = tables.find(({ lasting }) => (lasting as readonly string[]).includes('delegation_fee_percent')) as Table
  await withDuckDb(':memory:', async (connection) => {
    await giveRows(connection, 'given', table, ['delegation_fee_percent'], [{ delegation_fee_percent: 2.5 }])
    const reader = await connection.runAndReadAll('SELECT delegation_fee_percent FROM given')
    expect(reader.getRows()).toEqual([[2.5]])
  })
})
