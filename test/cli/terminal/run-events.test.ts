import { expect, test } from 'vitest'
import { eventListener } from '../../../src/cli/terminal/run-events.ts'
import type { RunEvent } from '../../../src/run/job/events.ts'

function logged(event: RunEvent): unknown[] {
  const lines: unknown[] = []
  const log = (message: string, facts?: object) => void lines.push(message, facts)
  eventListener({ debug: log, info: log, warn: log, error: log }, undefined)(event)
  return lines
}

const pipeline = 'p-blocks'

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
  expect(logged({ kind: 'waiting', pipeline, head: -1, byHeight })).toEqual(['waiting', { pipeline, head: 0 }])
})

test('other records are logged with their coordinates', () => {
  const planned = { pipeline, units: 1, record: 'container', records: 60, head: 59 }
  expect(logged({ kind: 'planned', ...planned })).toEqual(['planned', planned])
})
