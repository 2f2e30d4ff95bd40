import {
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Column, type Columns, t, table } from '../../src/define/index.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { runs } from '../runs.ts'
import { query } from './duckdb.ts'
import { everyType, everyTypeRow } from './every-type.ts'
import { decimalOf, readIndependently } from './independent-reader.ts'
import { lakeFolder } from './lake-folder.ts'
import { writeRows } from './write-rows.ts'

const lake = lakeFolder()
let thread: ParquetThread
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(() => thread.close())

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const mapObject = (object: object, map: (value: any, name: string) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))

/** A written value in comparable form: bytes as hex, integers as bigint. */
function written(value: unknown, { type }: Column): unknown {
  if (value === null) return null
  if (type.kind === 'blob') return hex(value as Uint8Array)
  if (type.kind === 'int64') return BigInt(value as number)
  if (type.kind === 'list') return (value as unknown[]).map((item) => written(item, type.item))
  if (type.kind === 'struct') return writtenRow(value as object, type.fields)
  return value
}

function writtenRow(row: object, columns: Columns): object {
  return mapObject(row, (value, name) => written(value, columns[name]!))
}

/** A value from DuckDB in comparable form. */
function fromDuckDb(value: unknown): unknown {
  if (value instanceof DuckDBDecimalValue) return value.value
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBBlobValue) return hex(value.bytes)
  if (value instanceof DuckDBListValue) return value.items.map(fromDuckDb)
  if (value instanceof DuckDBStructValue) return mapObject(value.entries, fromDuckDb)
  return value
}

/** A value from hyparquet in comparable form. */
function fromHyparquet(value: any, { type }: Column): unknown {
  if (value === null || value === undefined) return null
  if (type.kind === 'decimal') return decimalOf(value)
  if (type.kind === 'blob') return hex(value)
  if (type.kind === 'list') return value.map((item: unknown) => fromHyparquet(item, type.item))
  if (type.kind === 'struct') return mapObject(value, (each, name) => fromHyparquet(each, type.fields[name]!))
  return value
}

let files = 0
const rowsOfEveryType = fc
  .array(everyTypeRow, { minLength: 1, maxLength: 60 })
  .map((rows) => rows.map((row, row_index) => ({ row_index, ...row })))

describe('rows through batches and Parquet', () => {
  test('are read unchanged by DuckDB and by another reader, for any size of batches', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOfEveryType, fc.integer({ min: 1, max: 70 }), async (rows, limit) => {
        const file = lake.path(`round-trip/${files++}.parquet`)
        const finished = await writeRows(thread, file, everyType, rows, { rows: limit })
        const expected = rows.map((row) => writtenRow(row, everyType.columns))
        expect(finished.rows).toBe(rows.length)
        expect((await query(`from '${file}'`)).map((row) => mapObject(row, fromDuckDb))).toEqual(expected)
        const independent = await readIndependently(file)
        expect(
          independent.map((row) =>
            mapObject(row, (value, name) => fromHyparquet(value, (everyType.columns as Columns)[name]!)),
          ),
        ).toEqual(expected)
      }),
      { numRuns: runs(20) },
    )
  })

  test('may have columns with only nulls', async () => {
    const nullable = { nullable: true } as const
    const nulls = table({
      name: 'nulls',
      comment: 'A table for tests.',
      key: ['number'],
      sortBy: [],
      partitionBy: [],
      columns: {
        number: t.int64('Number.', nullable),
        text: t.text('Text.', nullable),
        flag: t.boolean('Flag.', nullable),
        amount: t.u64('Amount.', nullable),
        items: t.list(t.text('Item.'), 'Items.', nullable),
        owner: t.struct({ flag: t.boolean('Flag.'), items: t.list(t.u64('Item.'), 'Items.') }, 'Owner.', nullable),
      },
    })
    const row = { number: null, text: null, flag: null, amount: null, items: null, owner: null }
    const file = lake.path('nulls.parquet')
    const { stats } = await writeRows(thread, file, nulls, Array(1000).fill(row), { rows: 300 })
    expect(await query(`from '${file}'`)).toEqual(Array(1000).fill(row))
    expect(stats.map(({ nullCount, min, max }) => [nullCount, min, max])).toEqual(Array(7).fill([1000, null, null]))
  })

  test('may have a text and a blob of several megabytes', async () => {
    const large = table({
      name: 'large',
      comment: 'A table for tests.',
      key: ['text'],
      sortBy: [],
      partitionBy: [],
      rowGroup: 'raw',
      columns: { text: t.text('Text.'), bytes: t.blob('Bytes.') },
    })
    const rows = [1, 3_000_000, 0, 5_000_000].map((size) => ({
      text: 'ü'.repeat(size),
      bytes: new Uint8Array(size).fill(size),
    }))
    const file = lake.path('large.parquet')
    await writeRows(thread, file, large, rows)
    const read = await query(`select length(text) as characters, octet_length(bytes) as bytes from '${file}'`)
    expect(read.map(({ characters, bytes }) => [characters, bytes])).toEqual(
      rows.map(({ text, bytes }) => [BigInt(text.length), BigInt(bytes.length)]),
    )
  })
})
