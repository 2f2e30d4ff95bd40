import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProgress } from '../../../src/cli/terminal/progress.ts'
import type { RunEvent } from '../../../src/run/events.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const pipeline = 'p-blocks'
const planned: RunEvent = { kind: 'planned', pipeline, units: 1, record: 'block', records: 4_000, head: 4_671 }
const progressOf = (done: number): RunEvent => ({
  kind: 'progress',
  pipeline,
  done,
  total: 4_000,
  rows: 0,
  bytes: 2_000_000,
})
const round = (of: string, is: 'begun' | 'ended'): RunEvent => ({ kind: 'round', pipeline: of, is })

/** A progress on a terminal of its own, with a clock that `at` sets. */
function terminal({ width = 200, height = 30 } = {}) {
  const clock = { at: 0 }
  const written: string[] = []
  const progress = createProgress({
    write: (text) => written.push(text),
    width: () => width,
    height: () => height,
    now: () => clock.at,
    wallMs: () => Date.parse('2026-11-24T12:00:00Z') + clock.at,
  })
  /** The lines that the terminal shows after an event at a time in milliseconds. */
  const after = (atMs: number, ...events: readonly RunEvent[]): string[] => {
    clock.at = atMs
    for (const event of events) progress.onEvent(event)
    vi.advanceTimersByTime(250)
    return written
      .at(-1)!
      .replace(/^\r.*?J/, '')
      .split('\n')
  }
  return { progress, written, after, clock }
}

test('a job is shown before its first event', () => {
  const { progress, written } = terminal()
  progress.begin([pipeline])
  progress.end()
  expect(written).toEqual(['p-blocks  starting', '\r\u001b[J'])
})

test('a reading has its rate and the time left; the rate covers the last seconds, not the whole run', () => {
  const { progress, after } = terminal()
  expect(after(0, planned)).toEqual(['p-blocks  0%  0 of 4,000 blocks  0 rows  head 4,671'])
  after(500, progressOf(500))
  expect(after(10_500, progressOf(1_500))).toEqual([
    'p-blocks  37%  1,500 of 4,000 blocks  100/s  2.0 MB  25 s left  head 4,671',
  ])
  for (let second = 11; second < 40; second++) after(second * 1_000, progressOf(1_500 + 10 * second))
  expect(after(40_000, progressOf(1_900))).toEqual([
    'p-blocks  47%  1,900 of 4,000 blocks  10/s  2.0 MB  3 min 30 s left  head 4,671',
  ])
  progress.end()
})

test('a job that follows shows head, lag, age of the newest row, rows in total, last commit and next check', () => {
  const { progress, after } = terminal()
  const newest = '2026-11-24T11:59:57Z'
  const committed: RunEvent = { kind: 'committed', pipeline, slice: null, snapshotId: 3, rows: 1_234, newest }
  const waiting: RunEvent = { kind: 'waiting', pipeline, head: 4_671, record: 'block', nextMs: 10_000 }
  after(0, round(pipeline, 'begun'), planned, progressOf(4_000), committed, round(pipeline, 'ended'))
  expect(after(2_000, waiting)).toEqual([
    'p-blocks  head 4,671  lag 0 blocks  newest 5 s old  1,234 rows  1,234 rows/min  last commit 2 s ago  next check in 10 s',
  ])
  expect(after(12_000, round(pipeline, 'begun'))).toEqual([
    'p-blocks  head 4,671  lag 0 blocks  newest 15 s old  1,234 rows  1,234 rows/min  last commit 12 s ago  checking',
  ])
  expect(after(13_000, { ...planned, records: 7, head: 4_678 } as RunEvent)).toEqual([
    'p-blocks  head 4,678  lag 7 blocks  newest 16 s old  1,234 rows  1,234 rows/min  last commit 13 s ago  reading',
  ])
  const later: RunEvent = { ...committed, rows: 10, newest: '2026-11-24T12:01:10Z' }
  expect(after(75_000, later, { ...waiting, head: 4_678 } as RunEvent)).toEqual([
    'p-blocks  head 4,678  lag 0 blocks  newest 5 s old  1,244 rows  10 rows/min  last commit 0 s ago  next check in 10 s',
  ])
  progress.end()
})

test('at most four drawings per second, and none while nothing changes', () => {
  const { progress, written, clock } = terminal()
  for (; clock.at <= 1_000; clock.at += 5) progress.onEvent(progressOf(clock.at))
  expect(written).toHaveLength(5)
  vi.advanceTimersByTime(5_000)
  expect(written).toHaveLength(5)
  progress.end()
})

test('no line is longer than the terminal is wide, and what matters stays', () => {
  const lines = [20, 80, 110, 200].map((width) => {
    const { progress, after } = terminal({ width })
    const committed: RunEvent = {
      kind: 'committed',
      pipeline,
      slice: null,
      snapshotId: 3,
      rows: 1_234_567,
      newest: '2026-11-24T11:00:00Z',
    }
    after(0, round(pipeline, 'begun'), planned, committed)
    const [line] = after(2_000, {
      kind: 'waiting',
      pipeline,
      head: 45_678_901,
      record: 'container',
      nextMs: 60_000,
    } as RunEvent)
    progress.end()
    expect(line!.length).toBeLessThan(width)
    return line
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "p-blocks  head 45,…",
      "p-blocks  head 45,678,901  lag 0 containers  next check in 1 min 00 s",
      "p-blocks  head 45,678,901  lag 0 containers  newest 1 h 00 min old  1,234,567 rows  next check in 1 min 00 s",
      "p-blocks  head 45,678,901  lag 0 containers  newest 1 h 00 min old  1,234,567 rows  1,234,567 rows/min  last commit 2 s ago  next check in 1 min 00 s",
    ]
  `)
})

test('of many jobs those that read are shown, and the others are counted', () => {
  const { progress, after } = terminal({ width: 80 })
  const names = Array.from({ length: 300 }, (_, at) => `job-${at}`)
  progress.begin(names)
  const read = (name: string): RunEvent => ({
    kind: 'progress',
    pipeline: name,
    done: 20,
    total: 0,
    rows: 7,
    bytes: 0,
    pages: 2,
  })
  const waits = names
    .slice(0, 100)
    .flatMap((name): RunEvent[] => [
      round(name, 'begun'),
      { kind: 'waiting', pipeline: name, head: null, nextMs: 9_000 },
    ])
  const shown = after(1_000, ...waits, round('job-100', 'begun'), read('job-100'))
  expect(shown).toHaveLength(8)
  expect(shown).toMatchInlineSnapshot(`
    [
      "job-0    up to date  0 rows  0 rows/min  next check in 9 s",
      "job-1    up to date  0 rows  0 rows/min  next check in 9 s",
      "job-2    up to date  0 rows  0 rows/min  next check in 9 s",
      "job-3    up to date  0 rows  0 rows/min  next check in 9 s",
      "job-4    up to date  0 rows  0 rows/min  next check in 9 s",
      "job-5    up to date  0 rows  0 rows/min  next check in 9 s",
      "job-100  20 items  7 rows  2 pages",
      "293 more jobs: 94 up to date, 199 queued",
    ]
  `)
  progress.forget(names.slice(0, 100))
  expect(after(2_000, read('job-100'))).toMatchInlineSnapshot(`
    [
      "job-100  20 items  0/s  7 rows  2 pages  0 pages/s",
      "199 more jobs queued",
    ]
  `)
  progress.end()
})

test('a list of unknown length has rates, and the time left where it can be estimated', () => {
  const { progress, after } = terminal()
  const list = (done: number, more: object = {}): RunEvent => ({
    kind: 'progress',
    pipeline: 'rewards',
    done,
    total: 0,
    rows: done,
    bytes: 0,
    pages: done / 100,
    ...more,
  })
  after(0, round('rewards', 'begun'), list(100))
  expect(after(10_000, list(1_100))).toEqual(['rewards  1,100 items  100/s  1,100 rows  11 pages  1.0 pages/s'])
  const span = (at: number) => ({ span: { from: 1_000, at, to: 2_000 } })
  after(11_000, list(1_200, span(1_200)))
  expect(after(40_000, list(1_300, span(1_300))).join()).toMatch(/^rewards {2}~30% .* {2}~3 min 23 s left$/)
  const stream = (number: number) => ({ pages: 14, stream: { number, of: 300 } })
  expect(after(60_000, list(20, stream(31)))).toEqual([
    'rewards  ~10%  stream 31 of 300  20 items  0/s  20 rows  14 pages  0.1 pages/s  ~9 min 00 s left',
  ])
  progress.end()
})

test('a long wait for a source is shown until the job reads again', () => {
  const { progress, after } = terminal()
  const retry: RunEvent = {
    kind: 'retry',
    url: 'https://api.example/v1/x',
    attempt: 1,
    waitMs: 59_000,
    reason: '429',
  }
  after(0, progressOf(10), retry)
  expect(after(1_000, round(pipeline, 'begun')).at(-1)).toBe('next try at https://api.example in 58 s')
  expect(after(2_000, progressOf(20))).toHaveLength(1)
  progress.end()
})

test('log lines go above the progress, and the end removes it', () => {
  const { progress, written } = terminal({ width: 20 })
  progress.above('early')
  progress.onEvent(progressOf(1_000))
  progress.above('late')
  progress.end()
  expect(written).toEqual(['early\n', 'p-blocks  25%', '\r\u001b[Jlate\np-blocks  25%', '\r\u001b[J'])
})
