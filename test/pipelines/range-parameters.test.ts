import { expect, test } from 'vitest'
import { requestedBounds } from '../../pipelines/shared/parameters.ts'

test.each([
  [{}, { from: 0, to: null }],
  [{ from: 5 }, { from: 5, to: null }],
  [
    { from: 5, to: 9 },
    { from: 5, to: 9 },
  ],
  [{ range: { from: 5, to: 9 } }, { from: 5, to: 9 }],
  [{ range: { to: 9 } }, { from: 0, to: 9 }],
  [
    { from: -5, to: 3 },
    { from: -5, to: 3 },
  ],
  [
    { from: '2026-01-01', to: 5 },
    { from: '2026-01-01', to: 5 },
  ],
  [{ range: { from: '2026-01-01' } }, { from: '2026-01-01', to: null }],
])('%j is %j', (given, bounds) => expect(requestedBounds(given)).toEqual(bounds))

test.each([
  [{}, { from: 1, to: null }],
  [{ range: { from: 0, to: 10 } }, { from: 1, to: 10 }],
  [{ from: 101 }, { from: 101, to: null }],
  [{ from: -5 }, { from: -5, to: null }],
])('%j of heights, which begin at 1, is %j', (given, bounds) => expect(requestedBounds(given, 1)).toEqual(bounds))

test('a range that holds only the genesis block is empty', () =>
  expect(() => requestedBounds({ to: 1 }, 1)).toThrow('The range from 1 to 1 is empty'))

test.each([
  [{ from: 5, to: 5 }, 'The range from 5 to 5 is empty'],
  [{ range: { to: 0 } }, 'The range from 0 to 0 is empty'],
  [{ range: { from: -3, to: -3 } }, 'The range from -3 to -3 is empty'],
  [{ from: '2026-01-02', to: '2026-01-01' }, 'The range from 2026-01-02 to 2026-01-01 is empty'],
  [{ range: { to: 'soon' } }, '"soon" is no time.'],
  [{ from: 1, range: { from: 1 } }, 'The job has its range in two ways: from and to, and range.'],
])('%j is refused', (given, message) => expect(() => requestedBounds(given)).toThrow(message))
