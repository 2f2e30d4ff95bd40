import { expect, test } from 'vitest'
import { eventListener, unreachedListener } from '../../../src/cli/terminal/run-events.ts'
import type { RunEvent } from '../../../src/run/job/events.ts'

function logged(event: RunEvent): unknown[] {
  const lines: unknown[] = []
  const log = (message: string, facts?: object) => void lines.push(message, facts)
  eventListener({ debug: log, info: log, warn: log, error: log }, undefined)(event)
  return lines
}

const pipeline = 'p-blocks'

test('a source that is not there is reported at once, and only once', () => {
  const retry = {
    kind: 'retry',
    url: 'http://127.0.0.1:9/ext/info',
    attempt: 1,
    waitMs: 5,
    reason: 'No answer.',
  } as const
  expect(logged({ ...retry, unreached: 'first' })).toEqual([
    'cannot connect to http://127.0.0.1:9, trying again',
    { reason: 'No answer.' },
  ])
  const levels: string[] = []
  const log = (level: string) => () => void levels.push(level)
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
  eventListener(logger, undefined)({ ...retry, attempt: 5, unreached: 'again' })
  eventListener(logger, undefined)({ ...retry, attempt: 5 })
  unreachedListener(logger)({ ...retry, unreached: 'again' })
  expect(levels).toEqual(['info', 'warn'])
})

test('blocks by height are logged with their heights', () => {
  const byHeight = true
  expect(logged({ kind: 'planned', pipeline, units: 1, record: 'block', records: 60, head: 59, byHeight })).toEqual([
    'planned',
    { pipeline, units: 1, record: 'block', records: 60, head: 60 },
  ])
  const slice = { from: 20, to: 40 }
  expect(logged({ kind: 'committed', pipeline, slice, byHeight, snapshotId: 3, rows: 7 })).toEqual([
    'committed',
    { pipeline, heights: { first: 21, last: 40 }, snapshotId: 3, rows: 7 },
  ])
  expect(logged({ kind: 'waiting', pipeline, head: -1, byHeight, nextMs: 5 })).toEqual([
    'following',
    { pipeline, head: 0, lag: 0, rows: 0, nextCheckSeconds: 0 },
    'waiting',
    { pipeline, head: 0, nextMs: 5 },
  ])
})

test('other records are logged with their coordinates', () => {
  const planned = { pipeline, units: 1, record: 'container', records: 60, head: 59 }
  expect(logged({ kind: 'planned', ...planned })).toEqual(['planned', planned])
})
