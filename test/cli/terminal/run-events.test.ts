import { expect, test } from 'vitest'
import { eventListener, unreachedListener } from '../../../src/cli/terminal/run-events.ts'
import type { RunEvent } from '../../../src/run/events.ts'

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

test('records are logged with their coordinates', () => {
  const planned = { pipeline, units: 1, record: 'block', records: 60, head: 60 }
  expect(logged({ kind: 'planned', ...planned })).toEqual(['planned', planned])
  const committed = { pipeline, slice: { from: 21, to: 41 }, snapshotId: 3, rows: 7 }
  expect(logged({ kind: 'committed', ...committed })).toEqual(['committed', committed])
})
