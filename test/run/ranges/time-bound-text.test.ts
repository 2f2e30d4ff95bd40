import { expect, test } from 'vitest'
import { theNode } from '../../../src/define/index.ts'
import { timeBoundText, unreachedText } from '../../../src/run/ranges/plan-slices.ts'
import type { RangeMember } from '../../../src/run/rows/lake-run.ts'

const time = 1_767_225_605_000_000n
const block = { record: 'block' }
const found = { at: 9, known: { at: 9, time }, before: { at: 8, time: time - 1_000_000n }, isFirst: false }
const at = (seconds: number) => `2026-01-01T00:00:0${seconds}Z`

test.each([
  [block, found, `block 9 (${at(5)}).`],
  [block, { ...found, known: { at: 9, time: time + 250_000n } }, 'block 9 (2026-01-01T00:00:05.250Z).'],
  [
    block,
    { ...found, at: 0, known: { at: 0, time }, before: null, isFirst: true },
    `block 0 (${at(5)}). The source has no block before it.`,
  ],
  [
    block,
    { ...found, before: { at: 7, time } },
    `block 9 (${at(5)}). The block before it has no known time; the last known one before is block 7 (${at(5)}).`,
  ],
  [
    block,
    { ...found, before: { at: 5, time } },
    `block 9 (${at(5)}). The 3 blocks before it have no known time; the last known one before is block 5 (${at(5)}).`,
  ],
  [
    block,
    { at: 0, known: { at: 21, time }, before: null, isFirst: true },
    `block 0, the first one; the first one with a known time is block 21 (${at(5)}).`,
  ],
])('case %#', (walk, found, text) =>
  expect(timeBoundText(walk, { time: '2026-01-01', found })).toBe(`2026-01-01 is ${text}`),
)

test('a time that nothing has reached', () =>
  expect(timeBoundText(block, { time: '2030-01-01', found: null })).toBe(
    '2030-01-01: no block has this time or a later one yet.',
  ))

test.each([
  [0, null, null],
  [5_000, 5_001, null],
  [5_001, null, 'There is no block 5001 to read yet.'],
  [5_001, 6_000, 'There is no block 5001 to read yet.'],
  [0, 5_002, 'There is no block 5001 to read yet.'],
  [-100, null, null],
  ['2030-01-01', '2031-01-01', null],
])('from %s to %s, with head 5000', (from, to, text) => {
  const walk = { record: 'block', from, to } as unknown as RangeMember['walk']
  expect(unreachedText({ ...walk, endpoint: theNode }, 5_000)).toBe(text)
  expect(unreachedText(walk, 5_000), 'the bounds of a list').toBeNull()
})
