import { expect, test } from 'vitest'
import type { EvmLedger, EvmState } from '../../../devnet/service/evm/state.ts'
import { averageTps, tpsRoutes } from '../../../devnet/service/metrics.ts'
import { asking, readAll } from './asking.ts'

const day = 86_400
const start = 1_762_000_000

/** Twenty blocks per day, but none on every fifth day. */
const blocks = Array.from({ length: 40 * 20 }, (_, n) => ({
  time: start + Math.floor(n / 20) * day + (n % 20) * 60,
  txCount: n % 7,
})).filter(({ time }) => Math.floor((time - start) / day) % 5 !== 3)

const ledger: EvmLedger = { atHead: async () => ({ blocks }) as unknown as EvmState }

test('a TPS series has a point for every day, even for days without blocks', () => {
  const points = averageTps(blocks)
  expect(points).toHaveLength(40)
  expect(points.every(({ timestamp }) => timestamp % day === 0)).toBe(true)
  expect(points.filter(({ value }) => value === 0)).toHaveLength(8)
  const sent = blocks.reduce((sum, { txCount }) => sum + txCount, 0)
  expect(points.reduce((sum, { value }) => sum + value * day, 0)).toBeCloseTo(sent, -1)
  expect(averageTps([])).toEqual([])
})

test('the pages of a TPS route give the whole series, or the part within the bounds', async () => {
  const ask = asking(tpsRoutes(ledger))
  const pages = await readAll(ask, '/v1/avg_tps/43112?', 'results')
  expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 7, 7, 5])
  expect(pages.flat()).toEqual(averageTps(blocks))
  const bounded = `/v2/chains/43112/metrics/avgTps?pageSize=4&startTimestamp=${start + day}&endTimestamp=${start + 9 * day}`
  expect((await readAll(ask, bounded, 'results')).flat()).toHaveLength(8)
})
