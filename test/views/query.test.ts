import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cellText, openLake, queryLake } from '../../src/views/query.ts'
import { publish, rowsOf, temporaryFolder } from './test-lake.ts'

async function emptyLake(): Promise<string> {
  const lake = temporaryFolder()
  await publish(lake, {})
  return lake
}

async function scalar(lake: string, expression: string) {
  const [row] = await rowsOf(lake, `SELECT ${expression} AS v`)
  return row?.['v']
}

describe('queryLake', () => {
  test('returns exact values', async () => {
    const lake = await emptyLake()
    const cases: [string, unknown][] = [
      ['NULL', null],
      ['true', true],
      ['9007199254740991', 9_007_199_254_740_991],
      ['9007199254740992', '9007199254740992'],
      ['(-9223372036854775808)::BIGINT', '-9223372036854775808'],
      ['18446744073709551615::DECIMAL(20,0)', '18446744073709551615'],
      ['99999999999999999999999999999999999999::DECIMAL(38,0)', '99999999999999999999999999999999999999'],
      ['0::DECIMAL(38,0)', '0'],
      ['12.30::DECIMAL(10,2)', '12.30'],
      ['0.1::DOUBLE', 0.1],
      ["'NaN'::DOUBLE", 'NaN'],
      ["TIMESTAMPTZ '2026-11-21 10:35:00.000001+02'", '2026-11-21T08:35:00.000001Z'],
      ["TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'", '1969-12-31T23:59:59.999999Z'],
      ["TIMESTAMPTZ '2026-11-21 10:35:00+00' AT TIME ZONE 'UTC'", '2026-11-21T10:35:00.000000'],
      ["DATE '2026-11-21'", '2026-11-21'],
      ["'\\x00\\xFF'::BLOB", '0x00ff'],
      ["['a', NULL]", ['a', null]],
      ["{a: 1, b: ['\\xAA'::BLOB]}", { a: 1, b: ['0xaa'] }],
      ["MAP {'k': 1}", [{ key: 'k', value: 1 }]],
      ["''", ''],
    ]
    for (const [expression, expected] of cases) expect(await scalar(lake, expression), expression).toEqual(expected)
  })

  test('of an overflow of a sum names the columns with all digits', async () => {
    const sum = "SELECT sum(x) FROM (SELECT repeat('9', 38)::DECIMAL(38, 0) AS x FROM range(3))"
    const failed = { hint: expect.stringContaining('::BIGNUM') }
    await expect(queryLake(await emptyLake(), sum)).rejects.toMatchObject(failed)
  })

  test('returns column names and types, and streams many rows in order', async () => {
    const { columns, chunks } = await queryLake(
      await emptyLake(),
      'SELECT range AS n, range::DECIMAL(20,0) AS d FROM range(100000)',
    )
    expect(columns).toEqual([
      { name: 'n', type: 'BIGINT' },
      { name: 'd', type: 'DECIMAL(20,0)' },
    ])
    let next = 0
    let largest = 0
    for await (const rows of chunks) {
      largest = Math.max(largest, rows.length)
      for (const [n, d] of rows) {
        if (n !== next || d !== String(next)) throw new Error(`row ${next}: ${n}, ${d}`)
        next++
      }
    }
    expect(next).toBe(100_000)
    expect(largest).toBeLessThan(10_000)
  })

  test('reads times in UTC without a download', async () => {
    const lake = await emptyLake()
    expect(await scalar(lake, "current_setting('TimeZone')")).toBe('UTC')
    expect(await scalar(lake, "date_trunc('day', TIMESTAMPTZ '2026-11-21 23:59:00-05')::VARCHAR")).toBe(
      '2026-11-22 00:00:00+00',
    )
  })

  test('returns the result of the last of several statements', async () => {
    expect(await rowsOf(await emptyLake(), "SET VARIABLE x = 5; SELECT getvariable('x') AS x;")).toEqual([{ x: 5 }])
  })

  test.each([
    ['selec 1', /syntax error/],
    ['SELECT * FROM p_blokcs', /p_blokcs/],
    ['SELECT no_such FROM p_blocks', /no_such/],
    ["SELECT 'a'::BIGINT", /Conversion Error/],
    ['CREATE TABLE t AS SELECT 1', /read-only/],
    ['', /empty/],
    ['-- nothing', /empty/],
  ])('refuses %s with exit code 2', async (sql, message) => {
    const lake = await emptyLake()
    await expect(rowsOf(lake, sql)).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) })
  })

  test('reports what to do without a lake or with a file that is no DuckDB database', async () => {
    const lake = temporaryFolder()
    const missing = { exitCode: 2, code: 'query.no-lake', hint: expect.stringContaining('chainlake views') }
    await expect(queryLake(lake, 'SELECT 1')).rejects.toMatchObject(missing)
    await expect(queryLake(join(lake, 'nowhere'), 'SELECT 1')).rejects.toMatchObject(missing)
    writeFileSync(join(lake, 'lake.duckdb'), 'something else')
    await expect(queryLake(lake, 'SELECT 1')).rejects.toMatchObject({ exitCode: 5, code: 'storage.views' })
    const other = temporaryFolder()
    mkdirSync(join(other, 'lake.duckdb'))
    await expect(queryLake(other, 'SELECT 1')).rejects.toMatchObject({ exitCode: 5, code: 'storage.views' })
  })
})

describe('openLake', () => {
  test('runs several queries in turn, also when a result is not read to its end', async () => {
    const lake = await openLake(await emptyLake())
    const first = await lake.query('SELECT * FROM range(1000000)')
    for await (const rows of first.chunks) {
      expect(rows[0]).toEqual([0])
      break
    }
    await expect(lake.query('nonsense')).rejects.toMatchObject({ exitCode: 2 })
    const second = await lake.query('SELECT 7 AS n')
    for await (const rows of second.chunks) expect(rows).toEqual([[7]])
    lake.close()
  })

  test('interrupts a running query', async () => {
    const lake = await openLake(await emptyLake())
    // Repeated, because DuckDB ignores an interrupt before the query runs.
    const timer = setInterval(() => lake.interrupt(), 200)
    await expect(
      (async () => {
        const { chunks } = await lake.query('SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b')
        for await (const rows of chunks) expect(rows).toEqual([])
      })(),
    ).rejects.toMatchObject({ message: expect.stringMatching(/interrupt/i) })
    clearInterval(timer)
    lake.close()
  })
})

describe('cellText', () => {
  test('returns one line', () => {
    expect([null, true, 5, '5', ['a', null], { a: 1 }].map((cell) => cellText(cell))).toEqual([
      '',
      'true',
      '5',
      '5',
      '["a",null]',
      '{"a":1}',
    ])
  })
})
