import { expect, test } from 'vitest'
import type { EvmState } from '../../../devnet/service/evm/state.ts'
import { type ChainMetric, type MetricInterval, metricPoints, spansOf } from '../../../devnet/service/metrics.ts'

const at = (text: string) => Date.parse(text) / 1000
const zero = `0x${'0'.repeat(40)}`

/** Blocks with one transaction each. */
const times = ['2025-11-30T23:59:59Z', '2025-12-01T00:00:00Z', '2025-12-01T00:00:00Z', '2026-02-02T10:00:00Z'].map(at)
const blocks = times.map((time) => ({ time, txCount: 1, gasUsed: 21_000n, feesSpent: 2n ** 60n }))
const senders = ['0xa', '0xb', '0xa', '0xc']
const results = senders.map((sender, n) => [{ sender, creates: n % 2 === 0, price: BigInt(n) }])
const transfers = [{ block: blocks[3], from: zero, to: '0xd' }]
const state = { blocks, results, transfers } as unknown as EvmState

const starts = (interval: MetricInterval) =>
  spansOf(state, interval).map(({ timestamp }) => new Date(timestamp * 1000).toISOString().slice(0, 10))
const values = (metric: ChainMetric, interval: MetricInterval) =>
  metricPoints(state, metric, interval).map(({ value }) => value)

test('intervals are those of the calendar, without a gap', () => {
  expect(starts('month')).toEqual(['2025-11-01', '2025-12-01', '2026-01-01', '2026-02-01'])
  expect(starts('week').slice(0, 3)).toEqual(['2025-11-24', '2025-12-01', '2025-12-08'])
  expect(starts('week').at(-1)).toBe('2026-02-02')
  expect(starts('day')).toHaveLength(65)
  expect(starts('hour')).toHaveLength(63 * 24 + 12)
  expect(spansOf({ blocks: [], results: [], transfers: [] } as unknown as EvmState, 'day')).toEqual([])
})

test('metrics count what happened in each interval, newest first', () => {
  expect(values('txCount', 'month')).toEqual([1, 0, 2, 1])
  expect(values('activeSenders', 'month')).toEqual([1, 0, 2, 1])
  expect(values('activeAddresses', 'month')).toEqual([2, 0, 2, 1])
  expect(values('contracts', 'month')).toEqual([0, 0, 1, 1])
  expect(values('feesPaid', 'month')).toEqual([2n ** 60n, 0n, 2n ** 61n, 2n ** 60n])
  expect(values('maxTps', 'day').filter((value) => value === 2)).toHaveLength(1)
  expect(values('cumulativeAddresses', 'day').slice(-2)).toEqual([2, 1])
  expect(values('cumulativeAddresses', 'day')[0]).toBe(4)
  expect(values('cumulativeDeployers', 'day')[0]).toBe(1)
})
