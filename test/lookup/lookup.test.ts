import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnIds } from '../../src/define/column-ids.ts'
import { type RequestedValues, type StoredRowsQuery, type Table, t } from '../../src/define/index.ts'
import { keyText } from '../../src/lookup/key-text.ts'
import { openLookup } from '../../src/lookup/lookup.ts'
import { runs } from '../runs.ts'
import { everyType, everyTypeRow } from '../write/every-type.ts'
import { allRows, type Coin, coin, coins, lakeFiles } from './lake-files.ts'

const { lookup, lakeDir, write } = lakeFiles()
const keyOf = keyText(coins)
const observation = { id: 'o9', observedAt: 9_000_000n }

describe('known keys', () => {
  test('are those that any of the files contains', async () => {
    const files = [
      { path: await write(coins, [coin('a', 1, 1n), coin('b', 1, 1n)]), rows: 2 },
      { path: await write(coins, [coin('c', 2, 1n)]), rows: 1 },
    ]
    const keys = ['a', 'c', 'd', 'a'].map((name) => keyOf(coin(name, 5, 0n)))
    const [a = '', c = '', d = ''] = keys
    expect(await lookup.knownKeys({ table: coins, files, keys })).toEqual(new Set([a, c]))
    expect(await lookup.knownKeys({ table: coins, files: files.slice(0, 1), keys })).toEqual(new Set([a]))
    expect(await lookup.knownKeys({ table: coins, files, keys: [d] })).toEqual(new Set())
    expect(await lookup.knownKeys({ table: coins, files: [], keys })).toEqual(new Set())
    expect(await lookup.knownKeys({ table: coins, files, keys: [] })).toEqual(new Set())
  })

  test('can contain nulls and times', async () => {
    const rows = [
      coin('a', 1, 1n, { place: 5 }),
      coin('a', 1, 1n),
      coin('a', 1, 1n, { seen_at: 1_795_000_000_000_001n }),
    ]
    const files = [{ path: await write(coins, rows), rows: 3 }]
    const absent = [coin('a', 1, 1n, { place: 6 }), coin('a', 1, 1n, { place: 5, seen_at: 0n })]
    const keys = [...rows, ...absent].map(keyOf)
    expect(await lookup.knownKeys({ table: coins, files, keys })).toEqual(new Set(keys.slice(0, 3)))
  })

  test('can be queried concurrently', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => coin(`c${n}`, 1, 1n))
    const files = [{ path: await write(coins, rows), rows: 50 }]
    const requested = Array.from({ length: 20 }, async (_, n) =>
      lookup.knownKeys({ table: coins, files, keys: [keyOf(coin(`c${n}`, 1, 1n)), keyOf(coin('none', 1, 1n))] }),
    )
    expect((await Promise.all(requested)).map((found) => found.size)).toEqual(Array(20).fill(1))
  })
})

describe('latest versions', () => {
  test('are the last ones of each key, whatever the order of the files', async () => {
    const files = [
      await write(coins, [coin('a', 3, 3n), coin('b', 1, 1n)]),
      await write(coins, [coin('a', 1, 1n), coin('b', 2, 1n, { present: false })]),
      await write(coins, [coin('c', 1, 7n)]),
    ]
    const keys = ['a', 'b', 'd'].map((name) => keyOf(coin(name, 0, 0n)))
    expect(await lookup.latestVersions({ table: coins, files, keys })).toEqual(
      new Map([
        [keys[0], { hash: 'h3', present: true, observedAt: 3_000_000n }],
        [keys[1], { hash: 'h1', present: false, observedAt: 2_000_000n }],
      ]),
    )
    expect(await lookup.latestVersions({ table: coins, files: [], keys })).toEqual(new Map())
  })

  test('have an earliest time among those that satisfy a condition', async () => {
    const files = [
      await write(coins, [coin('a', 1, 3n), coin('b', 1, 1n), coin('c', 1, 5n)]),
      await write(coins, [coin('a', 2, 1n), coin('b', 9, 2n)]),
    ]
    const earliest = (...where: RequestedValues[]) =>
      lookup.earliestTime({ table: coins, files, where, column: 'observed_at' })
    expect(await earliest({ version_hash: ['h1', 'h2'] })).toBe(2_000_000n)
    expect(await earliest({ version_hash: ['h1', 'h2'] }, { coin: ['b'] })).toBe(9_000_000n)
    expect(await earliest({ version_hash: ['h9'], observation_id: ['o1'] })).toBe(1_000_000n)
    expect(await earliest({ version_hash: ['h3'] })).toBe(null)
  })

  test('count as present in a table without the column present', async () => {
    const { present, ...columns } = coins.columns
    const points: Table = { ...coins, columns }
    const { present: _, ...row } = coin('a', 1, 1n)
    const files = [await write(points, [row])]
    const versions = await lookup.latestVersions({ table: points, files, keys: [keyOf(row)] })
    expect([...versions.values()]).toEqual([{ hash: 'h1', present: true, observedAt: 1_000_000n }])
  })
})

describe('the rows of files', () => {
  test('can be selected by a slice of whole numbers and by texts', async () => {
    const rows = ['a', "b'c", 'd'].flatMap((name) => [1, 2, 3].map((at) => coin(name, 1, 1n, { place: at })))
    const files = [await write(coins, rows.slice(0, 5)), await write(coins, rows.slice(5))]
    const selected = async (query: StoredRowsQuery) =>
      (await allRows(lookup.selectedRows({ table: coins, files, column: 'place', query }))) as Coin[]
    const names = ["b'c", 'd', 'x']
    expect(await selected({ from: 2, to: 4, texts: { coin: names } })).toEqual([...rows.slice(4, 6), ...rows.slice(7)])
    expect(await selected({ from: 1, to: 2, texts: {} })).toHaveLength(3)
    expect(await selected({ from: 9, to: 12, texts: {} })).toEqual([])
  })

  test('equal those that were written, for every type', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(everyTypeRow, { minLength: 1, maxLength: 30 }), async (values) => {
        const rows = values.map((value, row_index) => ({ row_index, ...value }))
        const file = await write(everyType, rows)
        expect((await allRows(lookup.rows({ table: everyType, files: [file] }))).map(plain)).toEqual(rows.map(plain))
      }),
      { numRuns: runs(5) },
    )
  })

  test('come in the order of the files, with null in columns that a file does not have', async () => {
    const older = await write(coins, [coin('a', 1, 1n)])
    const columns = { ...coins.columns, extra: t.list(t.int64('N.'), 'More.', { nullable: true }) }
    const changed: Table = { ...coins, columns }
    const later: Table = { ...changed, ids: columnIds(changed, columnIds(coins, null)) }
    const newer = await write(later, [{ ...coin('b', 2, 2n), extra: [1, 2n ** 60n] }])
    expect(await allRows(lookup.rows({ table: later, files: [newer, older] }))).toEqual([
      { ...coin('b', 2, 2n), extra: [1, 2n ** 60n] },
      { ...coin('a', 1, 1n), extra: null },
    ])
    expect(await allRows(lookup.rows({ table: later, files: [] }))).toEqual([])
  })

  test('can be abandoned before the end', async () => {
    const file = await write(
      coins,
      Array.from({ length: 5000 }, (_, n) => coin(`c${n}`, 1, 1n)),
    )
    for await (const rows of lookup.rows({ table: coins, files: [file, file] })) {
      expect(rows.length).toBeGreaterThan(0)
      break
    }
    expect((await allRows(lookup.rows({ table: coins, files: [file] }))).length).toBe(5000)
  })
})

describe('changed rows', () => {
  const changed = (staged: string[], files: string[], observationIds: string[] = []) =>
    allRows(lookup.changedRows({ table: coins, staged, files, observationIds, observation }))

  test('are those that differ, returned or disappeared', async () => {
    const files = [
      await write(coins, [
        coin('same', 1, 1n),
        coin('other', 1, 1n),
        coin('back', 1, 1n),
        coin('gone', 1, 1n, { place: 3, owners: null }),
        coin('gone before', 1, 1n),
        coin('of others', 1, 1n),
        coin('taken over', 1, 1n),
      ]),
      await write(coins, [
        coin('back', 2, 1n, { present: false }),
        coin('gone before', 2, 1n, { present: false }),
        coin('of others', 2, 1n, { observation_id: 'x2' }),
        coin('taken over', 2, 2n),
      ]),
    ]
    const staged = [
      await write(coins, [coin('same', 9, 1n), coin('new', 9, 4n), coin('other', 9, 3n)]),
      await write(coins, [coin('back', 9, 1n), coin('other', 9, 2n), coin('new', 9, 5n)]),
    ]
    expect(await changed(staged, files, ['o1', 'o2'])).toEqual([
      coin('back', 9, 1n),
      coin('other', 9, 2n),
      coin('new', 9, 5n),
      coin('gone', 9, 1n, { place: 3, owners: null, present: false }),
      coin('taken over', 9, 2n, { present: false }),
    ])
    expect(await changed(staged, files)).toHaveLength(3)
  })

  test('are all rows of a first observation, and disappeared rows of an empty one', async () => {
    const staged = [await write(coins, [coin('a', 9, 1n), coin('b', 9, 1n)])]
    expect(await changed(staged, [])).toEqual([coin('a', 9, 1n), coin('b', 9, 1n)])
    expect(await changed([], [])).toEqual([])
    const files = [await write(coins, [coin('a', 1, 1n)])]
    expect(await changed([], files, ['o1'])).toEqual([coin('a', 9, 1n, { present: false })])
  })

  test('never include disappeared rows in a table without the column present', async () => {
    const { present, ...columns } = coins.columns
    const points: Table = { ...coins, columns }
    const row = (name: string, at: number, amount: bigint) => {
      const { present: _, ...rest } = coin(name, at, amount)
      return rest
    }
    const files = [await write(points, [row('a', 1, 1n), row('b', 1, 1n)])]
    const staged = [await write(points, [row('b', 9, 2n)])]
    expect(
      await allRows(lookup.changedRows({ table: points, staged, files, observationIds: ['o1'], observation })),
    ).toEqual([row('b', 9, 2n)])
  })

  test('keep the latest versions equal to the result of each observation', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const found = fc.array(fc.record({ name, amount: fc.bigInt({ min: 0n, max: 2n }) }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.array(found, { minLength: 1, maxLength: 5 }), async (observations) => {
        const files: string[] = []
        const ids: string[] = []
        for (const [index, items] of observations.entries()) {
          const rows = items.map(({ name, amount }) => coin(name, index + 1, amount))
          const halves = [rows.slice(0, 3), rows.slice(3)].filter((half) => half.length > 0)
          const staged = await Promise.all(halves.map((half) => write(coins, half)))
          const opened = { id: `o${index + 1}`, observedAt: BigInt(index + 1) * 1_000_000n }
          const options = { table: coins, staged, files, observationIds: ids, observation: opened }
          const versions: Coin[] = await allRows(lookup.changedRows(options))
          if (versions.length > 0) files.push(await write(coins, versions))
          ids.push(opened.id)
          const all: Coin[] = await allRows(lookup.rows({ table: coins, files }))
          const latest = new Map(all.map((row) => [row.coin, row]))
          const shown = [...latest.values()].filter((row) => row.present).map((row) => [row.coin, row.amount])
          const expected = new Map(items.map((item) => [item.name, item.amount]))
          expect(new Map(shown as [string, bigint][])).toEqual(expected)
          // No version is stored twice in succession.
          for (const key of latest.keys()) {
            const own = all.filter((row) => row.coin === key).map((row) => `${row.version_hash} ${row.present}`)
            expect(own.filter((version, at) => version === own[at + 1])).toEqual([])
          }
        }
      }),
      { numRuns: runs(8) },
    )
  })
})

describe('the folder of a lookup', () => {
  test('is removed on close', async () => {
    const own = openLookup(lakeDir, 'own')
    expect(await allRows(own.rows({ table: coins, files: [await write(coins, [coin('a', 1, 1n)])] }))).toHaveLength(1)
    await own.close()
    await own.close()
    expect(readdirSync(lakeDir).filter((name) => name.startsWith('.lookup-own'))).toEqual([])
  })
})

/** Converts numbers to bigints and bytes to text. */
function plain(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
}
