import {
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ParquetThread, startParquetThread } from '../../src/write/parquet-thread.ts'
import { query } from './duckdb.ts'
import { everyType, everyTypeRow } from './every-type.ts'
import { lakeFolder } from './lake-folder.ts'
import { writeRows } from './write-rows.ts'

const lake = lakeFolder()
let thread: ParquetThread
beforeAll(() => {
  thread = startParquetThread()
})
afterAll(() => thread.close())

/** What DuckDB gave as what a row holds. */
function plain(value: unknown): unknown {
  if (value instanceof DuckDBDecimalValue) return value.value
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('hex')
  if (value instanceof DuckDBListValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, each]) => [name, plain(each)]))
  return value
}

/** What a row holds, comparable with what is read. */
function written(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(written)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, written(each)]))
  return value
}

let files = 0
describe('rows through batches and Parquet', () => {
  test('come back from DuckDB as they were', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(everyTypeRow, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 70 }),
        async (drawn, limit) => {
          const rows = drawn.map((row, row_index) => ({ row_index, ...row }))
          const file = lake.path(`a/b${files++}.parquet`)
          const finished = await writeRows(thread, file, everyType, rows, { rows: limit })
          expect(finished.rows).toBe(rows.length)
          const read = await query(`from '${file}'`)
          expect(read.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, plain(v)])))).toEqual(
            rows.map((row) =>
              written({
                ...row,
                row_index: BigInt(row.row_index),
                count: row.count === null ? null : BigInt(row.count),
              }),
            ),
          )
        },
      ),
      { numRuns: 60 },
    )
  })
})
