import { describe, expect, test } from 'vitest'
import { tpsList } from '../../../pipelines/tps.ts'
import { metricsChainTps } from '../../../schemas/metrics-chain-tps.ts'
import { sampleAnswer } from '../../external-data.ts'
import { testContext } from './reading.ts'

const place = { network: 'mainnet', chain_id: '43114' }
const tps = tpsList({ ...place, interval: 'day' })

describe('captured answers of the metrics host', () => {
  test('give the points of the specified route', () => {
    const context = testContext()
    const { rows, items, next } = tps(sampleAnswer('metrics_v1_avg_tps'), context)
    expect(rows.points).toHaveLength(4)
    expect(rows.points[0]).toEqual({
      network: 'mainnet',
      chain_id: '43114',
      interval: 'day',
      point_time: 1_724_716_800_000_000n,
      observation_id: 'observation-1',
      observed_at: 1_763_700_000_000_000n,
      version_hash: '',
      metric_value: 1.98,
      status: 200,
      last_run: 1_724_780_812_000_000n,
    })
    expect(Object.keys(rows.points[0]!).sort()).toEqual(Object.keys(metricsChainTps.columns).sort())
    expect(items[3]).toEqual({ key: '1724457600', time: 1724457600 })
    expect(next).toBeNull()
    expect(context.unknown).toEqual([])
  })

  test("give the points of today's route, which has no status", () => {
    const { rows } = tps(sampleAnswer('metrics_v2_activeAddresses'), testContext())
    expect(rows.points).toHaveLength(30)
    expect(rows.points[0]).toMatchObject({ metric_value: 37738, status: null, last_run: null })
  })

  test('continue after an empty page that has a page token', () => {
    expect(tps(sampleAnswer('metrics_pagination_nextPageToken'), testContext())).toEqual({
      rows: { points: [] },
      items: [],
      next: '3d22deea-ea64-4d30-8a1e-c2a353b67e90',
    })
  })
})
