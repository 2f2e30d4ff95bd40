import { describe, expect, test } from 'vitest'
import { listReader } from '../../src/decode/list-reader.ts'
import { below, identity, t, table } from '../../src/define/index.ts'
import { DecodeError } from '../../src/errors.ts'
import { testContext } from './service/reading.ts'

const nullable = { nullable: true } as const

const things = table({
  name: 'things',
  comment: 'Things.',
  key: ['network', 'name'],
  sortBy: ['name'],
  partitionBy: [identity('network')],
  columns: {
    network: t.text('Network.'),
    name: t.text('Name.').at('name|title'),
    height: t.int64('Height, if it has a place.', nullable).at('place?.height'),
    word: t.text('Word of the place.', nullable).at('place?.word?', 'word'),
    ...below('owner', {
      since: t.timestamp('Time.', nullable).at('since'),
      share: t.double('Share.').at('share', 'percent'),
    }),
    amount: t.decimal38('Amount.', nullable).at('amount', 'digits'),
    amount_raw: t.text('Amount as text.'),
    sizes: t.list(t.int64('Size.'), 'Sizes.', nullable).at('sizes'),
    tags: t.list(t.text('Tag.'), 'Tags.', nullable).at('labels[].text'),
    marks: t.list(t.int64('Mark.'), 'Marks.', nullable).at('labels[].mark'),
    parts: t
      .list(t.struct({ id: t.int64('Id.').at('id'), twice: t.int64('Twice.').at('id') }, 'Part.'), 'Parts.')
      .at('parts'),
    position: t.int64('Position.', nullable),
    total: t.int64('Total of the answer.', nullable).at('/meta.total'),
  },
})

const decode = listReader({
  tables: { things },
  items: 'meta.things',
  ignore: ['color', 'parts.note'],
  readers: { 'parts.twice': (value) => 2 * (value as number) },
  complete: (row, _, { first }) => {
    row.position = first
  },
  ofAnswer: () => ({ given: { first: 7 } }),
  key: ['name'],
})({ network: 'test' })

const thing = { name: 'a', owner: { share: 5 }, amount: '5', parts: [{ id: 1 }] }

function read(changes: object, context = testContext()) {
  const { rows } = decode({ meta: { things: [{ ...thing, ...changes }], total: 3 }, nextPageToken: 'n' }, context)
  return { row: rows.things[0]!, unknown: context.unknown }
}

function fieldOf(changes: object): unknown {
  try {
    return read(changes)
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
    return (error as DecodeError).details?.['field']
  }
}

describe('a list that columns declare', () => {
  test('has rows with the columns in their order, and items with their keys', () => {
    const { rows, items, next } = decode({ meta: { things: [thing, { ...thing, name: 'b' }] } }, testContext())
    expect(Object.keys(rows.things[0]!)).toEqual(Object.keys(things.columns))
    expect(items).toEqual([
      { key: 'a', time: null },
      { key: 'b', time: null },
    ])
    expect(next).toBeNull()
    expect(rows.things[0]).toEqual({
      network: 'test',
      name: 'a',
      height: null,
      word: null,
      since: null,
      share: 5,
      amount: 5n,
      amount_raw: '5',
      sizes: null,
      tags: null,
      marks: null,
      parts: [{ id: 1, twice: 2 }],
      position: 7,
      total: null,
    })
  })

  test('reads values of the answer, of objects and of the objects in a list', () => {
    const labels = [
      { text: 'x', mark: 1 },
      { text: 'y', mark: 2 },
    ]
    const place = { height: '9', word: '' }
    expect(read({ labels, place, sizes: [1, '2'], owner: { since: 1, share: '2.5' } }).row).toMatchObject({
      height: 9,
      word: null,
      since: 1_000_000n,
      share: 2.5,
      sizes: [1, 2],
      tags: ['x', 'y'],
      marks: [1, 2],
      total: 3,
    })
  })

  test('accepts either of two fields, and both if they are equal', () => {
    expect(read({ title: 'a' }).row.name).toBe('a')
    expect(read({ name: undefined, title: 'b' }).row.name).toBe('b')
    expect(fieldOf({ title: 'b' })).toBe('meta.things[0].name')
    expect(fieldOf({ name: null })).toBe('meta.things[0].name')
  })

  test.each([
    [{ place: {} }, 'place.height'],
    [{ place: 5 }, 'place'],
    [{ place: { height: 1.5 } }, 'place.height'],
    [{ owner: null }, 'owner'],
    [{ owner: { share: 101 } }, 'owner.share'],
    [{ owner: { share: '' } }, 'owner.share'],
    [{ amount: undefined }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ sizes: [1, -1] }, 'sizes[1]'],
    [{ sizes: 1 }, 'sizes'],
    [{ labels: [{ text: 'x', mark: 1 }, { text: 'y' }] }, 'labels[1].mark'],
    [{ parts: [{ id: 1 }, {}] }, 'parts[1].id'],
    [{ parts: undefined }, 'parts'],
  ])('refuses %j with the path of the field', (changes, path) => {
    expect(fieldOf(changes)).toBe(`meta.things[0].${path}`)
  })

  test('keeps all digits of an amount that is too long for its column', () => {
    expect(read({ amount: '9'.repeat(39) }).row).toMatchObject({ amount: null, amount_raw: '9'.repeat(39) })
  })

  test('reports each field that no column reads, and no field that it ignores', () => {
    const changes = {
      color: 'red',
      owner: { share: 1, nick: 'n' },
      labels: [{ text: 'x', mark: 1, new: 1 }],
      parts: [{ id: 1, note: 'n', old: 1 }],
      more: 1,
    }
    expect(read(changes).unknown.sort()).toEqual([
      'meta.things[].labels[].new',
      'meta.things[].more',
      'meta.things[].owner.nick',
      'meta.things[].parts[].old',
    ])
  })
})
