import { expect, test } from 'vitest'
import { allRows, type Coin, coin, coins, lakeFiles } from './lake-files.ts'

const { lookup, write } = lakeFiles()

/** Different texts of such a length: JSON needs quotes, and every other one has characters that it must escape. */
function wide(length: number, place: number): string {
  return `${place % 2 === 0 ? '"\\\u0001\u001f' : 'ä€'}${place}:`.repeat(length).slice(0, length)
}

const coinsOf = (count: number, length: (place: number) => number) =>
  Array.from({ length: count }, (_, place) =>
    coin(`c${place}`, 1, 1n, { place, version_hash: wide(length(place), place) }),
  )

const named = (rows: readonly Coin[]) => rows.map(({ coin, place, version_hash }) => ({ coin, place, version_hash }))

test.each([
  ['short texts', 3_000, () => 40],
  ['long texts, which do not fit into the memory of DuckDB as JSON', 4_096, () => 5_000],
  [
    'short and long texts in turn, around the length from which they are long',
    3_000,
    (place: number) => 1_900 + (place % 300),
  ],
  ['one text of ten million characters', 1, () => 10_000_000],
])('rows with %s are read as they were written', async (_, count, length) => {
  const rows = coinsOf(count, length)
  const file = await write(coins, rows)
  const found = (await allRows(lookup.rows({ table: coins, files: [file] }))) as Coin[]
  expect(named(found)).toEqual(named(rows))
})
