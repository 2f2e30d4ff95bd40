import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { parquetQuery, t, table } from '../../src/define/index.ts'

const numbers = table({
  name: 'numbers',
  comment: 'Numbers.',
  key: ['number'],
  sortBy: ['number'],
  partitionBy: [],
  columns: { number: t.int64('Number.') },
})

/** Runs a query on a file of one row, in a DuckDB that calls itself this version; null: the installed one. */
async function answer(version: string | null, sql: (source: string) => string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const file = join(mkdtempSync(join(tmpdir(), 'chainlake-query-')), 'numbers.parquet')
  await connection.run(`COPY (SELECT 7::BIGINT AS number) TO '${file}' (FORMAT parquet, FIELD_IDS {number: 1})`)
  if (version !== null) await connection.run(`CREATE MACRO version() AS '${version}'`)
  return (await connection.runAndReadAll(sql(parquetQuery(numbers, [file], 1)))).getRows()
}

test.each(['v0.10.2', 'v1.0.0', 'v1.1.3'])('DuckDB %s is refused, also by a query without rows', async (version) => {
  await expect(answer(version, (source) => `SELECT * FROM ${source} WHERE number < 0`)).rejects.toThrow(
    `The views of a chainlake lake need DuckDB 1.2.0 or later, this is ${version}.`,
  )
})

test.each([null, 'v1.2.0', 'v1.10.1', 'v2.0.0', 'v0.0.1-dev1'])(
  'DuckDB %s reads the files, and its plan has no check of the version',
  async (version) => {
    expect(await answer(version, (source) => `SELECT number FROM ${source}`)).toEqual([[7n]])
    const [[, plan]] = (await answer(version, (source) => `EXPLAIN SELECT number FROM ${source} WHERE number > 3`)) as [
      [string, string],
    ]
    expect(plan).not.toMatch(/CASE|version|CROSS/)
    expect(plan).toMatch(/Filters/)
  },
)
