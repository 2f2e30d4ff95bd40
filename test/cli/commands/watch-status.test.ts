import { expect, test } from 'vitest'
import type { StreamStatus } from '../../../src/catalog/catalog.ts'
import { watchFrame, watchLines } from '../../../src/cli/commands/watch-status.ts'
import { streamStatus } from './stream-status.ts'

const startMs = Date.UTC(2026, 10, 24, 12)

function stream(name: string, to: number, state: 'running' | 'done' | null): StreamStatus {
  const run = {
    id: '1',
    pid: 1,
    host: 'here',
    command: 'run',
    streams: [name],
    started: new Date(startMs),
    ended: null,
  }
  return streamStatus(name, {
    pipeline: 'p-blocks',
    unit: 'containers',
    tables: to === 0 ? [] : [{ table: 'p_blocks', slices: [{ from: 0, to }], gaps: [], rows: to, bytes: to * 10 }],
    lastRun: state === null ? null : { ...run, state },
    reached: state === 'done' ? new Date(startMs - 60_000) : null,
  })
}

const lake = (afterSeconds: number, ...streams: StreamStatus[]): Parameters<typeof watchLines>[0] => ({
  status: { snapshotId: 3 + afterSeconds, streams },
  tasks: null,
  atMs: startMs + afterSeconds * 1000,
  monotonicMs: afterSeconds * 1000,
})

const before = lake(
  0,
  stream('local/A', 50, 'done'),
  stream('local/P', 100, 'running'),
  stream('local/chains', 2, null),
)
const after = lake(
  5,
  stream('local/A', 50, 'done'),
  stream('local/P', 1_200, 'running'),
  stream('local/chains', 2, null),
)

test('a frame has totals with their rate, then the streams, running ones first', () => {
  expect(watchFrame(after, before, { columns: 100, lines: 24 })).toEqual([
    'snapshot 8: 1,252 rows (+1,100, 220/s), 12.5 kB. Ctrl-C ends the watch.',
    '',
    'stream        run           new rows         at head  committed',
    'local/P       running  +1,100, 220/s         not yet  1,200 rows; containers 0 to 1,200',
    'local/A       done                    1 min 05 s ago  50 rows; containers 0 to 50',
    'local/chains                                          2 rows; containers 0 to 2',
  ])
})

test('a frame fits the terminal: long lines end with …, and streams that have no room are counted', () => {
  const frame = watchFrame(after, before, { columns: 40, lines: 6 })
  expect(frame.length).toBeLessThan(6)
  expect(frame.every((line) => line.length < 40)).toBe(true)
  expect(frame.at(-1)).toBe('… and 2 more. chainlake status shows a…')
})

test('lines: totals at first, then each stream that changed, and nothing without a change', () => {
  expect(watchLines(before, null)).toEqual([
    '2026-11-24T12:00:00Z  snapshot 3: 152 rows, 1.5 kB',
    '2026-11-24T12:00:00Z  local/P: 100 rows; containers 0 to 100, running',
    '2026-11-24T12:00:00Z  local/A: 50 rows; containers 0 to 50, done',
    '2026-11-24T12:00:00Z  local/chains: 2 rows; containers 0 to 2',
  ])
  expect(watchLines(after, before)).toEqual([
    '2026-11-24T12:00:05Z  local/P: 1,200 rows; containers 0 to 1,200, +1,100, 220/s, running',
  ])
  expect(watchLines(lake(10, ...after.status.streams), after)).toEqual([])
  const done = lake(
    10,
    stream('local/A', 50, 'done'),
    stream('local/P', 1_200, 'done'),
    stream('local/chains', 2, null),
  )
  expect(watchLines(done, after)).toEqual(['2026-11-24T12:00:10Z  local/P: 1,200 rows; containers 0 to 1,200, done'])
})

test('an empty lake is said to be empty', () => {
  expect(watchFrame(lake(0), null, { columns: 80, lines: 24 }).at(-1)).toBe(
    'The lake is empty: no job has run on it yet.',
  )
  expect(watchLines(lake(0), null).at(-1)).toContain('The lake is empty')
})
