import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { identity, type Table, t, table } from '../../src/define/index.ts'
import { bloomFilterBytes } from '../../src/lookup/bloom-filter.ts'
import { fingerprintOf } from '../../src/lookup/fingerprint.ts'
import { createKeyFilters, type KeyFilters, type KnownFile } from '../../src/lookup/key-filters.ts'
import { keyText } from '../../src/lookup/key-text.ts'
import { runs } from '../runs.ts'
import { lakeFiles } from './lake-files.ts'

const things = table({
  name: 'things',
  comment: 'Things.',
  key: ['network', 'number', 'name'],
  sortBy: ['number'],
  partitionBy: [identity('network')],
  columns: {
    network: t.text('Network.'),
    number: t.int64('Number.', { nullable: true }),
    name: t.text('Name.', { nullable: true }),
    seen_at: t.timestamp('Seen.', { nullable: true }),
  },
})
const keyOf = keyText(things)
const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => keyOf({ network: 'local', number: from + n, name: `${from + n}` }))

describe('key filters', () => {
  /** Keys of files that do not exist. */
  let contents: Map<string, readonly string[]>
  let scanned: string[][]
  const file = (path: string, texts: readonly string[]): KnownFile => {
    contents.set(path, texts)
    return { path, rows: texts.length }
  }
  const filtersOf = (bytes?: number): KeyFilters =>
    createKeyFilters(async (scannedTable, files, filter) => {
      scanned.push(files.map(({ path }) => path))
      const print = fingerprintOf(scannedTable)
      for (const { path } of files) for (const key of contents.get(path) ?? []) filter.add(print(key))
    }, bytes)
  beforeEach(() => {
    contents = new Map()
    scanned = []
  })

  test('are not built for few keys of a large file', async () => {
    const filters = filtersOf()
    const files = [file('a', keys(0, 50_000))]
    for (let from = 0; from < 1000; from += 100) {
      const requested = keys(50_000 + from, 50_100 + from)
      expect(await filters.narrow({ table: things, files, keys: requested })).toEqual([{ files, keys: requested }])
    }
    expect(scanned).toEqual([])
  })

  test('are built once for files that are queried repeatedly, and exclude most unknown keys', async () => {
    const filters = filtersOf()
    const files = [file('a', keys(0, 50_000)), file('b', keys(50_000, 60_000))]
    let compared = 0
    for (let from = 0; from < 80_000; from += 8000)
      for (const left of await filters.narrow({ table: things, files, keys: keys(100_000 + from, 108_000 + from) }))
        compared += left.keys.length
    expect(scanned.flat().sort()).toEqual(['a', 'b'])
    expect(compared).toBeLessThan(2 * 8000 + 10)
    const [left, ...more] = await filters.narrow({ table: things, files, keys: keys(49_990, 50_000) })
    expect(more).toEqual([])
    expect(left?.keys).toEqual(keys(49_990, 50_000))
    expect(left?.files.map(({ path }) => path)).toContain('a')
  })

  test('are not built at once for files of other runs, and the keys of these files are compared', async () => {
    const filters = filtersOf()
    const old = file('a', keys(0, 1000))
    await filters.narrow({ table: things, files: [old], keys: keys(0, 1000) })
    expect(scanned).toEqual([['a']])
    const theirs = file('b', keys(1000, 60_000))
    const requested = { table: things, files: [old, theirs], keys: keys(1000, 1010) }
    expect(await filters.narrow(requested)).toEqual([{ files: [theirs], keys: requested.keys }])
  })

  test('include a file of the run itself only if all its keys are known', async () => {
    const filters = filtersOf()
    const old = file('a', keys(0, 1000))
    await filters.narrow({ table: things, files: [old], keys: keys(0, 1000) })
    const own = { table: 'things', path: 'own', rows: 30 }
    const part = { table: 'things', path: 'part', rows: 31 }
    filters.learn([own], () => new Map([[things as Table, new Set(keys(5000, 5030))]]))
    filters.learn([part], () => new Map([[things as Table, new Set(keys(6000, 6030))]]))
    const requested = [...keys(5000, 5002), ...keys(7000, 7005)]
    expect(await filters.narrow({ table: things, files: [old, own], keys: requested })).toEqual([
      { files: [own], keys: keys(5000, 5002) },
    ])
    const short = keys(7000, 7001)
    expect(await filters.narrow({ table: things, files: [part], keys: short })).toEqual([
      { files: [part], keys: short },
    ])
  })

  test('include a file that was just written from the first query on, without reading it', async () => {
    const filters = filtersOf()
    const own = { table: 'things', path: 'own', rows: 30 }
    filters.learn([own], () => new Map([[things as Table, new Set(keys(5000, 5030))]]))
    const requested = [...keys(5000, 5002), ...keys(7000, 7005)]
    const answer = [{ files: [own], keys: keys(5000, 5002) }]
    for (let time = 0; time < 2; time++)
      expect(await filters.narrow({ table: things, files: [own], keys: requested })).toEqual(answer)
    expect(scanned).toEqual([])
  })

  test('keep only the last write while there are no queries', async () => {
    const filters = filtersOf()
    const [first, second] = [
      { table: 'things', path: 'first', rows: 1 },
      { table: 'things', path: 'second', rows: 1 },
    ]
    filters.learn([first], () => new Map([[things as Table, new Set(keys(0, 1))]]))
    filters.learn([second], () => new Map([[things as Table, new Set(keys(1, 2))]]))
    const other = keys(5, 6)
    // Nothing is known about the first file, and comparing a key with such a large file costs less than reading it.
    const big = { ...first, rows: 1_000_000 }
    expect(await filters.narrow({ table: things, files: [big, second], keys: other })).toEqual([
      { files: [big], keys: other },
    ])
  })

  test('stay within the memory limit and drop the least recently used first', async () => {
    const filters = filtersOf(bloomFilterBytes(2500))
    const files = ['a', 'b', 'c'].map((path, n) => file(path, keys(n * 1000, n * 1000 + 1000)))
    const [a, b, c] = files as [KnownFile, KnownFile, KnownFile]
    for (const each of [a, b, a, c, a, b]) await filters.narrow({ table: things, files: [each], keys: keys(0, 1000) })
    expect(scanned.flat()).toEqual(['a', 'b', 'c', 'b'])
    scanned = []
    // All filters together do not fit: those that fit stay, and the others are compared each time.
    for (let time = 0; time < 5; time++) {
      const left = await filters.narrow({ table: things, files, keys: keys(9000, 10_000) })
      expect(left.map((each) => each.files.length)).toEqual([1])
    }
    expect(scanned.flat().length).toBeLessThanOrEqual(1)
  })

  test('are rebuilt after they were cleared', async () => {
    const filters = filtersOf()
    const files = [file('a', keys(0, 1000))]
    for (let time = 0; time < 2; time++) {
      await filters.narrow({ table: things, files, keys: keys(0, 1000) })
      filters.clear()
    }
    expect(scanned).toEqual([['a'], ['a']])
  })
})

describe('known keys found through filters', () => {
  const { lookup, write } = lakeFiles()
  const row = fc.record({
    network: fc.constant('local'),
    number: fc.option(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
    name: fc.option(fc.oneof(fc.constantFrom('', 'a|b', 'a\\', '\\N', 'ü', 'long enough for it, ü'), fc.string())),
    seen_at: fc.constant(null),
  })
  const timed: Table = { ...things, key: ['network', 'number', 'seen_at', 'name'] }

  test.each([
    ['numbers and texts', things as Table],
    ['times, too', timed],
  ])('equal those found without filters: %s', async (_, of) => {
    const keyOfRow = keyText(of)
    const seen = fc.option(fc.bigInt({ min: -(10n ** 16n), max: 10n ** 17n }))
    const rows = fc.uniqueArray(
      fc.tuple(row, seen).map(([each, seen_at]) => ({ ...each, seen_at: of === timed ? seen_at : null })),
      { selector: keyOfRow, minLength: 1, maxLength: 80 },
    )
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const there = all.slice(0, Math.ceil(all.length / 2))
        const files = [{ path: await write(of, there), rows: there.length }]
        const requested = { table: of, files, keys: all.map(keyOfRow) }
        const expected = new Set(there.map(keyOfRow))
        for (let time = 0; time < 3; time++) expect(await lookup.knownKeys(requested)).toEqual(expected)
      }),
      { numRuns: runs(15) },
    )
  })
})
