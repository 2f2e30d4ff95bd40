import { isDeepStrictEqual } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parquetQuery, type Table, t, table } from '../../src/define/index.ts'
import { earliestTime, latestTime } from '../../src/lib/time.ts'
import { keySql, keyText } from '../../src/lookup/row-identity.ts'
import { runs } from '../runs.ts'
import { coin, coins, lakeFiles } from './lake-files.ts'

const nullable = { nullable: true } as const

const keyed = table({
  name: 'keyed',
  comment: 'Every type that a key may have.',
  key: ['row', 'text', 'count', 'amount', 'at', 'flag', 'bytes', 'last', 'list'],
  sortBy: ['row'],
  partitionBy: [],
  columns: {
    row: t.int64('Row.'),
    text: t.text('Text.', nullable),
    count: t.int64('Count.', nullable),
    amount: t.decimal38('Amount.', nullable),
    at: t.timestamp('At.', nullable),
    flag: t.boolean('Flag.', nullable),
    bytes: t.blob('Bytes.', nullable),
    last: t.text('Text.', nullable),
    list: t.list(t.text('Text.'), 'Texts.', nullable),
  },
})

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 4, nil: null })
const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '|',
    '\\',
    '\\N',
    'N',
    '||',
    '\\|',
    '|\\',
    "'",
    '"',
    '\u0000',
    'a\u0000b',
    '\n',
    'ü🙂',
    '\uffff',
    ',',
    '\\,',
  ),
  fc.string({ unit: fc.constantFrom('|', '\\', 'N', 'a', ',', '\n', '🙂'), maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const keyRow = fc.record({
  text: maybe(oddText),
  count: maybe(fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
  amount: maybe(fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n })),
  at: maybe(fc.bigInt({ min: earliestTime, max: latestTime })),
  flag: maybe(fc.boolean()),
  bytes: maybe(fc.uint8Array({ maxLength: 6 })),
  last: maybe(oddText),
  list: maybe(fc.array(oddText, { maxLength: 3 })),
})

describe('the text of a key', () => {
  const { lookup, lakeDir, write } = lakeFiles()

  test('is the same in SQL and finds its row', async () => {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    await fc.assert(
      fc.asyncProperty(fc.array(keyRow, { minLength: 1, maxLength: 60 }), async (values) => {
        const rows = values.map((value, row) => ({ row, ...value }))
        const texts = rows.map(keyText(keyed))
        const file = await write(keyed, rows)
        const path = `${lakeDir}/${file}`
        const reader = await connection.runAndReadAll(
          `SELECT ${keySql(keyed)} FROM ${parquetQuery(keyed, [path], rows.length)} ORDER BY row`,
        )
        expect(reader.getColumns()[0]).toEqual(texts)
        const absent = { ...rows[0], row: -1 }
        const found = await lookup.findRows({ table: keyed, files: [file], rows: [absent, ...rows] })
        expect(found.map(({ position }) => position).sort((a, b) => a - b)).toEqual(rows.map((_, at) => at + 1))
      }),
      { numRuns: runs(40) },
    )
    connection.closeSync()
    instance.closeSync()
  })

  test('differs exactly if the values differ', () => {
    const keyOf = keyText(keyed)
    fc.assert(
      fc.property(keyRow, keyRow, (a, b) => {
        const [left, right] = [a, b].map((row) => keyOf({ row: 1, ...row }))
        const same = (Object.keys(a) as (keyof typeof a)[]).every((name) => {
          const [x, y] = [a[name], b[name]]
          if (x instanceof Uint8Array && y instanceof Uint8Array) return Buffer.from(x).equals(y)
          if (Array.isArray(x) && Array.isArray(y)) return isDeepStrictEqual(x, y)
          return x === y || (x !== null && y !== null && typeof x !== 'object' && String(x) === String(y))
        })
        expect(left === right).toBe(same)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('of versions excludes the columns that distinguish versions', () => {
    const keyOf = keyText(coins)
    expect(keyOf(coin('a|b', 1, 5n))).toBe('local|a\\|b|\\N|\\N')
    expect(keyOf(coin('', 1, 5n, { place: 7n, seen_at: -1n }))).toBe('local||7|-1')
    expect(keyOf(coin('a', 1, 5n))).toBe(keyOf(coin('a', 2, 6n)))
  })

  test('refuses types without a unique text', () => {
    const wrong: Table = { ...keyed, key: ['ratio'], columns: { ratio: t.double('Ratio.') } }
    expect(() => keyText(wrong)).toThrow('cannot be part of a key')
  })
})
