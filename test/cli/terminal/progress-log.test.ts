import { expect, test } from 'vitest'
import { createProgressLog } from '../../../src/cli/terminal/run-events.ts'
import type { RunEvent } from '../../../src/run/events.ts'

const pipeline = 'p-blocks'

/** A log with a clock of its own; `lines` has the time of each line in seconds, its message and its facts. */
function log() {
  const lines: unknown[] = []
  let at = 0
  const info = (message: string, facts?: object) => void lines.push([at, message, facts])
  const progress = createProgressLog(
    { info },
    { now: () => at * 1_000, wallMs: () => Date.parse('2026-11-24T12:00:00Z') + at * 1_000 },
  )
  const event = (seconds: number, event: RunEvent): void => {
    at = seconds
    progress.onEvent(event)
  }
  return { lines, event }
}

test('a reading is reported every thirty seconds, and not at all when it takes less', () => {
  const { lines, event } = log()
  event(0, { kind: 'round', pipeline, is: 'begun' })
  event(0, { kind: 'planned', pipeline, units: 1, record: 'block', records: 10_000, head: 9_999 })
  for (let at = 1; at <= 70; at++)
    event(at, { kind: 'progress', pipeline, done: at * 100, total: 10_000, rows: at * 200, bytes: 5 })
  const facts = { pipeline, total: 10_000, head: 9_999, perSecond: 100 }
  expect(lines).toEqual([
    [30, 'progress', { ...facts, done: 3_000, lag: 7_000, rows: 6_000, secondsLeft: 70 }],
    [60, 'progress', { ...facts, done: 6_000, lag: 4_000, rows: 12_000, secondsLeft: 40 }],
  ])
})

test('a job that follows is reported at once, every minute when something changed, and otherwise every ten minutes', () => {
  const { lines, event } = log()
  const waiting = (at: number, head: number) =>
    event(at, { kind: 'waiting', pipeline, head, record: 'block', nextMs: 10_000 })
  event(0, { kind: 'round', pipeline, is: 'begun' })
  const newest = '2026-11-24T11:59:58.500Z'
  event(1, { kind: 'committed', pipeline, slice: null, snapshotId: 1, rows: 7, newest })
  for (let at = 2; at < 1_400; at += 10) waiting(at, at < 300 ? 100 + at : 400)
  const rest = { pipeline, lag: 0, newest, rows: 7, lastCommit: '2026-11-24T12:00:01.000Z', nextCheckSeconds: 10 }
  expect(lines).toEqual(
    [2, 62, 122, 182, 242, 302, 902].map((at) => [
      at,
      'following',
      { ...rest, head: at < 300 ? 100 + at : 400, ageSeconds: at + 1.5 },
    ]),
  )
})

test('a list has pages instead of a head', () => {
  const { lines, event } = log()
  const read = (at: number, pages: number) =>
    event(at, { kind: 'progress', pipeline: 'rewards', done: pages * 10, total: 0, rows: 4, bytes: 0, pages })
  read(0, 1)
  read(40, 9)
  event(41, { kind: 'waiting', pipeline: 'rewards', head: null, nextMs: 2_000 })
  expect(lines).toEqual([
    [40, 'progress', { pipeline: 'rewards', done: 90, rows: 4, pages: 9, perSecond: 2 }],
    [41, 'following', { pipeline: 'rewards', rows: 0, nextCheckSeconds: 2 }],
  ])
})
