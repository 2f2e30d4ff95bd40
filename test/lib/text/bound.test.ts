import { expect, test } from 'vitest'
import { boundOf, rangeOf } from '../../../src/lib/text/bound.ts'

test.each([
  ['0', 0],
  ['1000000', 1_000_000],
  ['1_000_000', 1_000_000],
  ['12M', 12_000_000],
  ['1.5k', 1_500],
  ['2K', 2_000],
  ['0.001M', 1_000],
  ['1.10k', 1_100],
  ['2B', 2_000_000_000],
  ['-1000', -1_000],
  ['-1.5M', -1_500_000],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('%s is %d', (text, value) => expect(boundOf(text)).toBe(value))

test.each([
  '',
  '-',
  '-0',
  '+5',
  '1e3',
  '1,000',
  '_1',
  '1_',
  '1__0',
  '1.5',
  '1.0005k',
  '12m',
  '12 M',
  '0x10',
  'k',
  '9007199254740992',
  '1.k',
])('%j is no bound', (text) => expect(boundOf(text)).toBeNull())

test.each([
  ['1:2', { from: 1, to: 2 }],
  ['12M:', { from: 12_000_000 }],
  [':1_000', { to: 1_000 }],
  ['-1000:-10', { from: -1_000, to: -10 }],
])('%s is a range', (text, range) => expect(rangeOf(text)).toEqual(range))

test.each(['', ':', '5', '1:2:3', 'a:2', '1:b', '1-2'])('%j is no range', (text) => expect(rangeOf(text)).toBeNull())
