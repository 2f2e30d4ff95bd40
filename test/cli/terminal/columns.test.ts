import { expect, test } from 'vitest'
import { described, textWidth, wrapped } from '../../../src/cli/terminal/tables.ts'

test.each([
  [undefined, 110],
  [0, 110],
  [20, 40],
  [80, 80],
  [200, 110],
])('with %s columns a line has at most %d letters', (columns, width) => expect(textWidth(columns)).toBe(width))

test('a text is broken between words, and a long word has its own line', () => {
  expect(wrapped('one two  three\nfour', 8)).toEqual(['one two', 'three', 'four'])
  expect(wrapped('a somewhat-long-word b', 8)).toEqual(['a', 'somewhat-long-word', 'b'])
  expect(wrapped('', 8)).toEqual([])
})

test('descriptions are next to their names, or below a name that is too long', () => {
  expect(
    described(
      [
        ['a', 'the first letter of all'],
        ['a-name-that-is-long', 'text'],
        ['bcd', ''],
      ],
      20,
    ),
  ).toEqual(['  a    the first', '       letter of all', '  a-name-that-is-long', '       text', '  bcd'])
})
