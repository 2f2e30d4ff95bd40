import { expect, test } from 'vitest'
import { ageText, problemsOf, verdictsOf } from '../../src/report/glance.ts'
import { sinceOf } from '../../src/report/make-report.ts'
import type { PageAnswer } from '../../src/report/page-data.ts'

const nowMs = Date.UTC(2026, 0, 10)
const coverage = {
  streams: [],
  gaps: [],
  moreGaps: 0,
  count: 5,
  complete: 5,
  oldestReachedMs: nowMs - 60_000,
}
const sound: Parameters<typeof verdictsOf>[0] = {
  nowMs,
  coverage,
  status: { snapshotId: 3, streams: [] },
  totals: undefined,
  newest: undefined,
  verify: null,
}
const answer: PageAnswer = {
  id: 'tables',
  title: '',
  says: '',
  sql: '',
  grain: null,
  columns: [],
  picture: { kind: 'list' },
  rows: [],
  failure: null,
}

test('a lake that is complete, fresh and readable has no problems', () => {
  expect(problemsOf(sound, [answer], '/lake')).toEqual([])
})

test('damage comes before findings, gaps and age, each with the command to run', () => {
  const problems = problemsOf(
    {
      ...sound,
      verify: {
        schema: 'chainlake.last-verify.v1',
        endedAt: '2026-01-09T22:00:00Z',
        snapshot: 3,
        fast: false,
        findings: 2,
      },
      coverage: { ...coverage, complete: 3, moreGaps: 4, oldestReachedMs: nowMs - 3 * 86_400_000 },
    },
    [answer, { ...answer, failure: 'IO Error: No such file' }],
    '/my lake',
  )
  expect(problems.map(({ title, command }) => [title, command])).toEqual([
    ['1 query failed', "chainlake verify --lake '/my lake'"],
    ['verify found 2 problems', "chainlake verify --lake '/my lake'"],
    ['2 streams are incomplete', "chainlake gaps --lake '/my lake'"],
    ['The lake is 3 days behind', "chainlake run --all --lake '/my lake'"],
  ])
  expect(problems[0]?.says).toContain('IO Error: No such file')
})

test('unfinished lists have no gaps: status names their streams', () => {
  const [problem] = problemsOf({ ...sound, coverage: { ...coverage, complete: 4 } }, [], '/lake')
  expect([problem?.title, problem?.command]).toEqual(['1 stream is incomplete', 'chainlake status --lake /lake'])
})

test('a lake is as fresh as its nodes are when a run looked lately and the newest block is old', () => {
  const columns = [{ name: 'Newest block', kind: { as: 'time' } }] as const
  const freshWith = (newest: string) =>
    verdictsOf({ ...sound, newest: { ...answer, columns, rows: [[newest]] } }).find(({ ask }) => ask === 'Fresh?')
  expect(freshWith('2026-01-09T23:59:00')).toMatchObject({ answer: 'Yes' })
  expect(freshWith('2025-01-01T00:00:00')).toMatchObject({
    answer: 'As far as the nodes are',
    why: expect.stringContaining('furthest behind is 374 days old'),
  })
})

const hour = 3_600_000
test.each([
  [400, 'less than 1 s'],
  [40_000, '40 s'],
  [140_000, '2 min'],
  [2 * hour + 600_000, '2 h'],
  [388 * 24 * hour + 3 * hour, '388 days'],
])('an age of %d ms is %s', (milliseconds, text) => {
  expect(ageText(milliseconds)).toBe(text)
})

test('the last 90 days of a network end with its own newest block, and never with a block of the future', () => {
  const block = (network: string, time: string) => ['EVM 1', network, 1, 1, time]
  const rows = [
    block('mainnet', '2099-01-01 00:00:00'),
    block('mainnet', '2026-01-09 12:00:00'),
    block('fuji', '2024-06-30 00:00:00'),
    block('wrong', '2099-01-01 00:00:00'),
  ]
  const columns = ['Chain', 'Network', 'Blocks', 'Highest', 'Newest block'].map(
    (name) => ({ name, kind: { as: 'text' } }) as const,
  )
  const blocks = { ...answer, columns, rows }
  const since = ['mainnet', 'fuji', 'wrong', 'unread'].map((network) => sinceOf(network, blocks, nowMs))
  const days = ['2025-10-11', '2024-04-01', '2025-10-12', '2025-10-12']
  expect(since).toEqual(days.map((day) => `DATE '${day}'`))
})
