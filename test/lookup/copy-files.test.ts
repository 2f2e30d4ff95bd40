import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, test } from 'vitest'
import { fieldsOf } from '../../src/define/index.ts'
import { sqlText } from '../../src/lib/text.ts'
import { openCopier } from '../../src/lookup/copy-files.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { leafStats, leavesOf, readFooter } from '../../src/write/footer.ts'
import { allRows, type Coin, coin, coins, lakeFiles } from './lake-files.ts'

const { lookup, lakeDir, write } = lakeFiles()
const copier = openCopier(lakeDir, 'copier')
afterAll(() => copier.close())

const neverStopped = new AbortController().signal
let copies = 0

async function copied(copy: { files: readonly string[]; isInOrder: boolean }, stop = neverStopped) {
  const path = `copy-${copies++}.parquet`
  const target = openFolderStore(lakeDir)
  return { path, ...(await copier.copy({ table: coins, target, path, ...copy }, stop)) }
}

const read = async (path: string) => (await allRows(lookup.rows({ table: coins, files: [path] }))) as Coin[]

test('rows with long texts are sorted, nulls last and equal ones in the order of the files', async () => {
  const rows = Array.from({ length: 4_096 }, (_, at) =>
    coin(`c${(at * 7) % 64}`, 1, BigInt(at), {
      place: at % 3 === 0 ? null : at % 5,
      version_hash: `${at}:`.repeat(1_000),
    }),
  )
  const files = [await write(coins, rows.slice(0, 2_000)), await write(coins, rows.slice(2_000))]
  const { path, rows: count } = await copied({ files, isInOrder: false })
  expect(count).toBe(rows.length)
  const place = (row: Coin) => Number(row.place ?? 9)
  const sorted = rows.toSorted((a, b) => (a.coin < b.coin ? -1 : a.coin > b.coin ? 1 : place(a) - place(b)))
  expect(await read(path)).toEqual(sorted)
  expect(await copier.fingerprint(coins, [path])).toBe(await copier.fingerprint(coins, files))
})

test('rows too wide to be sorted within the memory of a copy stay in the order of the files', async () => {
  const long = 'x'.repeat(1_500)
  const rows = (from: number) =>
    Array.from({ length: 70_000 }, (_, at) => coin(`c${from + at}`, 1, 1n, { version_hash: long }))
  const files = [await write(coins, rows(200_000)), await write(coins, rows(100_000))]
  const { path, rows: count } = await copied({ files, isInOrder: false })
  expect(count).toBe(140_000)
  expect(await copier.fingerprint(coins, [path])).toBe(await copier.fingerprint(coins, files))
  expect((await read(path))[0]?.coin).toBe('c200000')
})

test('a copy in the order of the files states its bytes, its hash and the statistics that its footer has', async () => {
  const file = await write(coins, [
    coin('b', 1, 2n ** 64n - 1n, { place: -5, owners: null }),
    coin('a\u{1f600}'.repeat(200), 2, 0n, { seen_at: -1n, owners: ['x', 'y'] }),
    coin('', 3, 7n, { owners: [] }),
  ])
  const made = await copied({ files: [file], isInOrder: true })
  expect((await read(made.path)).map(({ amount }) => amount)).toEqual([2n ** 64n - 1n, 0n, 7n])
  const handle = await open(join(lakeDir, made.path))
  const footer = await readFooter(handle, made.bytes).finally(() => handle.close())
  expect(made.footerBytes).toBe(footer.bytes)
  expect(footer.leafFieldIds).toEqual(leavesOf(fieldsOf(coins)).map(({ id }) => id))
  expect(made.stats).toEqual(leafStats(coins, footer))
})

test('a copy has only encodings that all readers know, also for texts that are all null', async () => {
  const rows = Array.from({ length: 3_000 }, (_, at) => coin(`c${at}`, at, BigInt(at), { owners: null }))
  const { path } = await copied({ files: [await write(coins, rows)], isInOrder: true })
  const database = await DuckDBInstance.create(':memory:')
  const connection = await database.connect()
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT unnest(string_split(encodings, ', ')) FROM parquet_metadata(${sqlText(join(lakeDir, path))})`,
  )
  expect(reader.getRows().flat().sort()).toEqual(['PLAIN', 'PLAIN_DICTIONARY'])
  database.closeSync()
})

test('a copy without files has the columns and no rows', async () => {
  const { path, rows } = await copied({ files: [], isInOrder: true })
  expect(rows).toBe(0)
  expect(await read(path)).toEqual([])
})

test('a copy that is stopped leaves no file', async () => {
  const file = await write(coins, [coin('a', 1, 1n)])
  const next = `copy-${copies}.parquet`
  const stop = AbortSignal.abort(new Error('stopped'))
  await expect(copied({ files: [file], isInOrder: true }, stop)).rejects.toThrow('stopped')
  expect(existsSync(join(lakeDir, next))).toBe(false)
})
