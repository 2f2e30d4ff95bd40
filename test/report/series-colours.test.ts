import { expect, test } from 'vitest'
import { assignColours, seriesOf } from '../../src/report/page/cell-text.ts'
import type { PageAnswer, PageCell } from '../../src/report/page-data.ts'

const answer = (rows: readonly (readonly [string, PageCell, PageCell])[], rest?: string): PageAnswer => ({
  id: 'a',
  title: '',
  says: '',
  sql: '',
  grain: 'day',
  failure: null,
  rows: rows.map((row) => ['2025-01-01', ...row]),
  columns: ['day', 'kind', 'amount', 'rewards'].map((name) => ({ name, kind: { as: 'text' } })),
  picture: {
    kind: 'times',
    time: 'day',
    values: ['amount', 'rewards'],
    series: 'kind',
    ...(rest === undefined ? {} : { rest }),
  },
})

test('a name has one colour on the whole page, whichever measure is the largest', () => {
  const colours = assignColours([
    answer([
      ['VALIDATOR', '9', 1],
      ['DELEGATOR', '1', 50],
    ]),
    answer([
      ['DELEGATOR', '9', 1],
      ['fee', '8', 1],
      ['VALIDATOR', '1', 1],
    ]),
  ])
  expect([...colours]).toEqual([
    ['VALIDATOR', 1],
    ['DELEGATOR', 2],
    ['fee', 3],
  ])
})

test('what stands for all others is last and grey, also when it is the largest', () => {
  const tables = answer(
    [
      ['other tables', 100, 1],
      ['p_blocks', 5, 1],
    ],
    'other tables',
  )
  expect(seriesOf(tables)).toEqual({ own: ['p_blocks'], rest: 'other tables' })
  expect(assignColours([tables])).toEqual(
    new Map([
      ['other tables', 7],
      ['p_blocks', 1],
    ]),
  )
  const many = answer(Array.from({ length: 9 }, (_, index) => [`chain ${index}`, 100 - index, 1] as const))
  expect(seriesOf(many).rest).toBe('others')
  expect([...assignColours([many]).values()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
})
