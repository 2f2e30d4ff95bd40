import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ReadStoredRows, type RequestedValues, type Table, t } from '../../src/define/index.ts'
import { columnIds } from '../../src/define/table.ts'
import { type Contradiction, openLookup } from '../../src/lookup/lookup.ts'
import type { Part } from '../../src/model.ts'
import { runs } from '../runs.ts'
import { everyType, everyTypeRow } from '../write/every-type.ts'
import { allRows, type Coin, coin, coins, lakeFiles } from './lake-files.ts'

const { lookup, lakeDir, write } = lakeFiles()
const observation = { id: 'o9', observedAt: 9_000_000n }

/** A file as a unit has written it. */
async function part(table: Table, rows: readonly object[]): Promise<Part> {
  const path = await write(table, rows)
  const file = { footerBytes: 0, stats: [], sha256: '' }
  return { table: table.name, path, partition: ['local'], rows: rows.length, bytes: 100 * rows.length, ...file }
}

let rewritten = 0
const newPath = () => `new-${rewritten++}.parquet`

/** The same coins in a table without versions. */
const { observation_id, observed_at, version_hash, present, ...plainColumns } = coins.columns
const pieces: Table = {
  ...coins,
  name: 'pieces',
  key: ['network', 'coin', 'place', 'seen_at'],
  history: 'rows',
  columns: plainColumns,
}
function piece(name: string, amount: bigint, more: Partial<Coin> = {}) {
  const { observation_id: _o, observed_at: _a, version_hash: _h, present: _p, ...row } = coin(name, 1, amount, more)
  return row
}

describe('rows that files have', () => {
  const known = async (files: string[], rows: object[]) =>
    (await lookup.findRows({ table: pieces, files, rows })).map(({ position }) => position).sort()

  test('are those with a key in any of the files', async () => {
    const files = [
      await write(pieces, [piece('a', 1n), piece('b', 1n)]),
      await write(pieces, [piece('c', 1n), piece("d'|\\\u0000", 1n)]),
    ]
    const rows = ['a', 'x', 'c', "d'|\\\u0000", 'a'].map((name) => piece(name, 5n))
    expect(await known(files, rows)).toEqual([0, 2, 3, 4])
    expect(await known(files.slice(0, 1), rows)).toEqual([0, 4])
    expect(await known([], rows)).toEqual([])
    expect(await known(files, [])).toEqual([])
  })

  test('can have nulls and times in their keys', async () => {
    const rows = [
      piece('a', 1n, { place: 5 }),
      piece('a', 1n),
      piece('a', 1n, { seen_at: 1_795_000_000_000_001n }),
      piece('a', 1n, { place: 2n ** 60n }),
    ]
    const absent = [piece('a', 1n, { place: 6 }), piece('a', 1n, { place: 5, seen_at: 0n })]
    expect(await known([await write(pieces, rows)], [...absent, ...rows])).toEqual([2, 3, 4, 5])
  })

  test('can be looked up in chunks and concurrently', async () => {
    const rows = Array.from({ length: 5000 }, (_, n) => piece(`c${n}`, 1n))
    const files = [await write(pieces, rows)]
    const found = await Promise.all([0, 1, 2].map(() => known(files, [...rows, piece('none', 1n)])))
    expect(found.map((each) => each.length)).toEqual([5000, 5000, 5000])
  })

  test('are found in new files, which then have only the other rows, in their order', async () => {
    const files = [await write(pieces, [piece('a', 1n), piece('c7', 1n), piece('c3000', 1n)])]
    const rows = Array.from({ length: 5000 }, (_, n) => piece(`c${n}`, BigInt(n)))
    const [mixed, fresh, old] = [
      await part(pieces, rows),
      await part(pieces, [piece('x', 1n)]),
      await part(pieces, [piece('a', 2n)]),
    ]
    const compared = await lookup.newRows({ table: pieces, files, parts: [old, mixed, fresh], newPath })
    expect(compared.known.map((row) => (row as Coin).coin)).toEqual(['a', 'c7', 'c3000'])
    expect(compared.parts.map((each) => each.rows)).toEqual([4998, 1])
    expect(compared.parts[1]).toBe(fresh)
    const read = (await allRows(lookup.rows({ table: pieces, files: [compared.parts[0]!.path] }))) as Coin[]
    expect(read).toEqual(rows.filter((_, n) => n !== 7 && n !== 3000))
    const left = readdirSync(lakeDir)
    expect([mixed, fresh, old].map(({ path }) => left.includes(path))).toEqual([false, true, false])
    const own = await part(pieces, [piece('y', 1n), piece('c7', 1n)])
    expect(await lookup.firstHeld({ table: pieces, files, parts: [fresh] })).toBe(null)
    expect(await lookup.firstHeld({ table: pieces, files, parts: [fresh, own] })).toMatchObject({ coin: 'c7' })
  })

  test('of a chain must not contradict the lake', async () => {
    const chain: Table = { ...pieces, lasting: ['amount', 'owners'], numbered: 'place' }
    const at = (place: number) => ({ place })
    const files = [await write(chain, [piece('a', 1n, at(1)), piece('b', 2n, at(2))])]
    const refuse = (found: Contradiction) => Object.assign(new Error(found.kind), { found })
    const compare = async (rows: object[]) => {
      const options = { table: chain, files, refuse }
      const [parts, found] = [[await part(chain, rows)], lookup.findRows({ ...options, rows })]
      const outcomes = await Promise.allSettled([found, lookup.newRows({ ...options, parts, newPath })])
      return outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.found))
    }
    const [found, files2] = await compare([piece('a', 1n, at(1)), piece('c', 1n, at(1))])
    expect([found.length, files2.known.length]).toEqual([1, 1])
    for (const contradiction of await compare([piece('a', 1n, at(1)), piece('b', 3n, at(2))]))
      expect(contradiction).toMatchObject({ kind: 'other row', stored: { amount: 2n }, given: { amount: 3n } })
    for (const contradiction of await compare([piece('a', 1n, at(1)), piece('b', 2n, at(9))]))
      expect(contradiction).toMatchObject({ kind: 'other number', stored: { place: 2 }, given: { place: 9 } })
  })
})

describe('latest versions', () => {
  test('are the last ones of each key, whatever the order of the files; later ones get a later time', async () => {
    const files = [
      await write(coins, [coin('a', 3, 3n), coin('b', 1, 1n)]),
      await write(coins, [coin('a', 1, 1n), coin('b', 2, 1n, { present: false })]),
      await write(coins, [coin('c', 1, 7n)]),
    ]
    const rows = [coin('a', 5, 3n), coin('a', 2, 1n), coin('b', 9, 2n), coin('d', 1, 1n)]
    const found = await lookup.findRows({ table: coins, files, rows })
    expect(found.sort((x, y) => x.position - y.position)).toEqual([
      { position: 0, isKnown: true, observedAt: 5_000_000n },
      { position: 1, isKnown: false, observedAt: 3_000_001n },
      { position: 2, isKnown: false, observedAt: 9_000_000n },
    ])
    const { parts, known } = await lookup.newRows({ table: coins, files, parts: [await part(coins, rows)], newPath })
    expect(known).toHaveLength(1)
    expect(await allRows(lookup.rows({ table: coins, files: parts.map(({ path }) => path) }))).toEqual([
      { ...rows[1], observed_at: 3_000_001n },
      rows[2],
      rows[3],
    ])
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
})

describe('the rows of files', () => {
  test('can be selected by a slice of whole numbers and by texts', async () => {
    const rows = ['a', "b'c", 'd'].flatMap((name) => [1, 2, 3].map((at) => coin(name, 1, 1n, { place: at })))
    const files = [await write(coins, rows.slice(0, 5)), await write(coins, rows.slice(5))]
    const selected = async (query: Parameters<ReadStoredRows>[0]) =>
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
