import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { boundsOf, mustBegin } from '../../../src/run/units/range-bounds.ts'

test('bounds from the beginning stay as they are', () => {
  expect(boundsOf({ from: 3, to: null }, 99)).toEqual({ from: 3, to: null })
  expect(boundsOf({ from: 3, to: 5 }, null)).toEqual({ from: 3, to: 5 })
})

test.each([
  [
    { from: -10, to: null },
    { from: 90, to: null },
  ],
  [
    { from: -10, to: -3 },
    { from: 90, to: 97 },
  ],
  [
    { from: 5, to: -3 },
    { from: 5, to: 97 },
  ],
  [
    { from: -1_000, to: -500 },
    { from: 0, to: 0 },
  ],
  [
    { from: -1_000, to: 7 },
    { from: 0, to: 7 },
  ],
])('%j of 100 records is %j', (bounds, expected) => expect(boundsOf(bounds, 99)).toEqual(expected))

test('bounds from the end are counted once, from the first head', () => {
  const walk = { from: -10, to: null }
  expect(boundsOf(walk, null)).toEqual({ from: 0, to: null })
  expect(boundsOf(walk, 99)).toEqual({ from: 90, to: null })
  expect(boundsOf(walk, 5_000)).toEqual({ from: 90, to: null })
})

test('an index that begins later than the job says is refused', () => {
  const begins = { at: 107, notice: 'The index begins at height 108.' }
  expect(() => mustBegin({ needs: 106 }, begins)).toThrow(ConfigError)
  expect(() => mustBegin({ needs: 106 }, begins)).toThrow('The job begins at height 107, which the index')
  mustBegin({ needs: 107 }, begins)
  mustBegin({ needs: 0 }, null)
  mustBegin({}, begins)
})
