import type { EvmLedger } from '../evm/state.ts'
import { between, choice, integer, listRoute, ServiceError, type ServiceRoute, totalsOf } from '../plumbing/index.ts'
import { averageTps } from './series.ts'

/** Points per page, a week, of the route without a page size parameter. */
const pointsOfPage = 7

/** Average TPS of the C-Chain by day, newest first: one route as in the specification (000, 4.9) and one as in the current service. */
export function tpsRoutes(ledger: EvmLedger): ServiceRoute[] {
  return [
    listRoute({
      path: '/v1/avg_tps/{chainId}',
      host: 'metrics',
      parameters: {},
      pageSize: { default: pointsOfPage },
      cost: 'medium',
      past: true,
      handle: async () => {
        const { blocks } = await ledger.atHead()
        return { items: 'results', rows: averageTps(blocks), extra: { status: 200, lastRun: blocks.at(-1)?.time ?? 0 } }
      },
    }),
    listRoute({
      path: '/v2/chains/{chainId}/metrics/avgTps',
      host: 'metrics',
      parameters: {
        startTimestamp: integer({ least: 0 }),
        endTimestamp: integer({ least: 0 }),
        timeInterval: choice(['hour', 'day', 'week', 'month']),
      },
      pageSize: { default: 100, most: 2160 },
      cost: 'medium',
      totals: async () => ({ metrics_chain_tps: totalsOf(averageTps((await ledger.atHead()).blocks)) }),
      handle: async ({ query: { startTimestamp, endTimestamp, timeInterval }, settings }) => {
        if (timeInterval !== undefined && timeInterval !== 'day')
          throw ServiceError.invalid(['timeInterval must be day for avgTps'])
        const { blocks } = await ledger.atHead()
        const within = between(settings, startTimestamp, endTimestamp)
        return { items: 'results', rows: averageTps(blocks).filter(({ timestamp }) => within(timestamp)) }
      },
    }),
  ]
}
