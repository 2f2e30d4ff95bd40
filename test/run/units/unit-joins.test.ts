import { describe, expect, test } from 'vitest'
import { OtherSourceError } from '../../../src/errors.ts'
import { createUnitJoins } from '../../../src/run/units/unit-joins.ts'

const member = {
  walk: { record: 'block' },
  stream: { network: 'local', path: 'P/block', parameters: {} },
} as Parameters<typeof createUnitJoins>[0]

/** A slice of a chain in which each record names the previous one. `record` and `block` are the parents of the first record and block. */
function chunk(from: number, to: number, { record = `c${from - 1}`, block = `b${from - 1}` } = {}) {
  const ends = { firstId: `c${from}`, firstParentId: record, lastId: `c${to - 1}` }
  const blockEnds = { firstId: `b${from}`, firstParentId: block, lastId: `b${to - 1}` }
  return { slice: { from, to }, ends, blockEnds }
}

describe('units that were read separately', () => {
  test('join in any commit order, also with gaps between them', () => {
    const joins = createUnitJoins(member)
    for (const [from, to] of [
      [10, 20],
      [30, 40],
      [0, 10],
      [20, 25],
      [25, 30],
      [50, 60],
    ] as const)
      joins.add(chunk(from, to))
  })

  test('are refused when a record or a block does not name the previous one', () => {
    const joins = createUnitJoins(member)
    joins.add(chunk(10, 20))
    expect(() => joins.add(chunk(20, 30, { record: 'other' }))).toThrow(OtherSourceError)
    expect(() => joins.add(chunk(20, 30, { block: 'other' }))).toThrow(
      expect.objectContaining({
        code: 'decode.block-parent',
        message: 'Block 20 does not name the previous block as its parent.',
      }),
    )
    joins.add(chunk(20, 30))
  })

  test('are refused when the next unit, which was committed first, does not name them', () => {
    const joins = createUnitJoins(member)
    joins.add(chunk(20, 30, { block: 'other' }))
    expect(() => joins.add(chunk(10, 20))).toThrow(/does not name the previous block/)
  })

  test('are accepted when their ids are unknown', () => {
    const joins = createUnitJoins(member)
    joins.add({ slice: { from: 0, to: 10 }, ends: null, blockEnds: null })
    joins.add(chunk(10, 20))
    joins.add({
      slice: { from: 20, to: 30 },
      ends: { firstId: 'v', firstParentId: null, lastId: 'w' },
      blockEnds: null,
    })
  })
})
