import { expect, test } from 'vitest'
import { cutText, textColumns } from '../../../src/cli/terminal/status-lines.ts'

test.each([
  ['abc', 3],
  ['', 0],
  ['é', 1],
  ['e\u0301', 1],
  ['価格', 4],
  ['👍', 2],
  ['👨‍👩‍👧', 2],
  ['🇨🇭', 2],
  ['a…b', 3],
])('%j takes %i columns', (text, columns) => expect(textColumns(text)).toBe(columns))

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 4, 'abc…'],
  ['価格価格', 4, '価…'],
  ['価格価格', 5, '価格…'],
  ['👨‍👩‍👧👨‍👩‍👧', 3, '👨‍👩‍👧…'],
])('%j in %i columns is %j', (text, columns, cut) => {
  expect(cutText(text, columns)).toBe(cut)
  expect(textColumns(cutText(text, columns))).toBeLessThanOrEqual(columns)
})
