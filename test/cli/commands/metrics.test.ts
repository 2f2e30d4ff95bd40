import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/cli/commands/keep-metrics.ts'
import type { RunEvent } from '../../../src/run/events.ts'

test('two metrics say when a job last reached its head, and how old its newest block is', () => {
  const metrics = createMetrics()
  const names = /^chainlake_(head_reached|newest)_timestamp_seconds\{.*$/gm
  metrics.onEvent({ kind: 'round', pipeline: 'p-blocks', is: 'ended' })
  expect(metrics.text().match(names)).toBeNull()
  const committed = (newest: string) => ({ kind: 'committed', pipeline: 'p-blocks', newest }) as RunEvent
  metrics.onEvent(committed('2025-11-01T00:00:10.000Z'))
  metrics.onEvent(committed('2025-11-01T00:00:00.000Z'))
  metrics.onEvent({ kind: 'round', pipeline: 'p-blocks', is: 'ended', atHead: true })
  expect(metrics.text().match(names)).toEqual([
    expect.stringMatching(/^chainlake_head_reached_timestamp_seconds\{job="p-blocks"\} \d{10}/),
    'chainlake_newest_timestamp_seconds{job="p-blocks"} 1761955210',
  ])
})
