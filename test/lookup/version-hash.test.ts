import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Table, t } from '../../src/define/index.ts'
import { versionHash } from '../../src/lookup/row-identity.ts'
import { everyType, everyTypeRow } from '../write/every-type.ts'
import { coin, coins } from './lake-files.ts'

const more = {
  ...coins.columns,
  extra: t.struct({ a: t.text('A.', { nullable: true }) }, 'Extra.', { nullable: true }),
}
const later: Table = { ...coins, columns: more }

describe('the hash of a version', () => {
  const hash = versionHash(coins)
  const one = hash(coin('a', 1, 5n))

  test('has 32 hexadecimal digits and depends on the content of the row, not on its observation', () => {
    expect(one).toMatch(/^[0-9a-f]{32}$/)
    expect(hash(coin('a', 2, 5n, { version_hash: 'other', present: false }))).toBe(one)
    expect(hash(coin('a', 1, 6n))).not.toBe(one)
    expect(hash(coin('b', 1, 5n))).not.toBe(one)
    expect(hash(coin('a', 1, 5n, { place: 5 }))).toBe(hash(coin('a', 1, 5n, { place: 5n })))
  })

  test('stays the same when a new column is null', () => {
    expect(versionHash(later)({ ...coin('a', 1, 5n), extra: null })).toBe(one)
    expect(versionHash(later)(coin('a', 1, 5n))).toBe(one)
    expect(versionHash(later)({ ...coin('a', 1, 5n), extra: { a: null } })).not.toBe(one)
  })

  test('ignores columns that are not compared', () => {
    const careless = versionHash({ ...coins, notCompared: ['owners'] })
    expect(careless(coin('a', 1, 5n, { owners: ['x'] }))).toBe(careless(coin('a', 1, 5n)))
    expect(careless(coin('a', 1, 6n))).not.toBe(careless(coin('a', 1, 5n)))
  })

  test.each<[string, object, object]>([
    ['texts that run into one another', { coin: 'a,place:5' }, { coin: 'a', place: 5 }],
    ['lists of other items', { owners: ['a,b'] }, { owners: ['a', 'b'] }],
    ['a list of nothing and none', { owners: [] }, { owners: null }],
    ['null and its name', { owners: [null] }, { owners: ['null'] }],
  ])('differs for %s', (_, a, b) => {
    expect(hash(coin('a', 1, 5n, a))).not.toBe(hash(coin('a', 1, 5n, b)))
  })

  test('is the same for a copy with other types and another order of fields', () => {
    const of = versionHash(everyType)
    fc.assert(
      fc.property(everyTypeRow, (row) => {
        const reversed = Object.fromEntries(Object.entries(structuredClone(row)).reverse())
        expect(of(reversed)).toBe(of(row))
      }),
    )
  })
})
