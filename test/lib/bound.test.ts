import { expect, test } from 'vitest'
import { boundOf, boundOrTimeOf, mayBeOrdered, rangeOf } from '../../src/lib/time.ts'

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

test.each([
  ['2026-01-01:2026-02-01', { from: '2026-01-01', to: '2026-02-01' }],
  ['2026-01-01:', { from: '2026-01-01' }],
  [':2026-01-01T12:00:00Z', { to: '2026-01-01T12:00:00Z' }],
  ['2026-01-01T12:00:00:2026-01-01T13:00:00', { from: '2026-01-01T12:00:00', to: '2026-01-01T13:00:00' }],
  ['2026-01-01T12:00:00+02:00:2026-01-02', { from: '2026-01-01T12:00:00+02:00', to: '2026-01-02' }],
  ['2026-01-01 12:00:00.5-02:30:', { from: '2026-01-01 12:00:00.5-02:30' }],
  ['2026-01-01T12:00:00:-1000', { from: '2026-01-01T12:00:00', to: -1_000 }],
  ['2026-01-01T12:00:2026-01-02', { from: '2026-01-01T12:00', to: '2026-01-02' }],
  ['2026-01-01T12:00:30:500', { from: '2026-01-01T12:00:30', to: 500 }],
  ['12M:2026-01-01', { from: 12_000_000, to: '2026-01-01' }],
])('%s is a range of times', (text, range) => expect(rangeOf(text)).toEqual(range))

test.each([
  '2026-01-01T12:00:00',
  '2026-01-01T12:00:00+02:00',
  '2026-01-01T12:00',
  '2026-02-30:',
  '2026-01-01::2026-01-02',
])('%j is no range', (text) => expect(rangeOf(text)).toBeNull())

test('a bound is a number or the text of a time', () => {
  expect(['12M', '-5', '2026-01-31', '2026-01-31t12:00:00z', '20260131', '2026'].map(boundOrTimeOf)).toEqual([
    12_000_000,
    -5,
    '2026-01-31',
    '2026-01-31t12:00:00z',
    20_260_131,
    2026,
  ])
  const wrong = ['2026-01', '2026-13-01', '2025-02-29', '2026-01-31T25:00:00', 'now', '-2026-01-01']
  for (const text of wrong) expect(boundOrTimeOf(text), text).toBeNull()
})

test('bounds of one kind must be in order, and only the source knows it of bounds of two kinds', () => {
  expect(mayBeOrdered('2026-01-01', '2026-01-01T00:00:00.000000001Z')).toBe(true)
  expect(mayBeOrdered('2026-01-01T01:00:00+01:00', '2026-01-01')).toBe(false)
  expect(mayBeOrdered('2026-01-02', '2026-01-01')).toBe(false)
  expect(mayBeOrdered('2026-01-02', 5)).toBe(true)
  expect(mayBeOrdered(-5, '2026-01-02')).toBe(true)
  expect([mayBeOrdered(5, 5), mayBeOrdered(5, 6), mayBeOrdered(-5, 3)]).toEqual([false, true, true])
})

test.each(['', ':', '5', '1:2:3', 'a:2', '1:b', '1-2'])('%j is no range', (text) => expect(rangeOf(text)).toBeNull())
