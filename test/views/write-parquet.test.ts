import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, expect, test } from 'vitest'
import { type LakeReader, openLake } from '../../src/views/query.ts'
import { publish } from './test-lake.ts'

let lake: LakeReader
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-parquet-'))
  await publish(folder, {})
  lake = await openLake(folder)
  return () => {
    lake.close()
    rmSync(folder, { recursive: true })
  }
})

async function read(sql: string) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  connection.closeSync()
  instance.closeSync()
  return rows
}

test('an answer has the same values and exact types in a Parquet file', async () => {
  const file = join(folder, 'answer.parquet')
  const sql = `select sum(x) as total, 18446744073709551615::ubigint as u, 123456789012345678901234567890.12345678::decimal(38,8) as d,
    [1, 2]::bigint[] as l, {'a': 'b'} as s, null::varchar as "a ""name", timestamptz '2026-01-01 00:00:00+00' as t
    from (values (170141183460469231731687303::hugeint), (5)) v(x) -- a comment at the end`
  await lake.writeParquet(sql, file)
  expect(await read(`select column_name, column_type from (describe from '${file}')`)).toEqual([
    { column_name: 'total', column_type: 'DECIMAL(38,0)' },
    { column_name: 'u', column_type: 'UBIGINT' },
    { column_name: 'd', column_type: 'DECIMAL(38,8)' },
    { column_name: 'l', column_type: 'BIGINT[]' },
    { column_name: 's', column_type: 'STRUCT(a VARCHAR)' },
    { column_name: 'a "name', column_type: 'VARCHAR' },
    { column_name: 't', column_type: 'TIMESTAMP WITH TIME ZONE' },
  ])
  expect(await read(`select total::varchar as total, u::varchar as u, d::varchar as d from '${file}'`)).toEqual([
    {
      total: '170141183460469231731687308',
      u: '18446744073709551615',
      d: '123456789012345678901234567890.12345678',
    },
  ])
})

test.each([
  ['select [1::hugeint] as l', 'The column "l" has the type HUGEINT[], which Parquet would round.'],
  ['select 170141183460469231731687303715884105727::hugeint as h', 'Conversion Error'],
  ['select 1; select 2', 'one statement'],
  ['select nothing', 'nothing'],
])('%s is refused', async (sql, message) => {
  await expect(lake.writeParquet(sql, join(folder, 'refused.parquet'))).rejects.toThrow(message)
})
