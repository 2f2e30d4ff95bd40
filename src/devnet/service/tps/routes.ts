import type { EvmLedger } from '../evm/state.ts'
import { between, choice, integer, listRoute, ServiceError, type ServiceRoute } from '../plumbing/index.ts'
import { averageTps } from './series.ts'

/** Points of a page of the route that takes no page size: a week. */
const pointsOfPage = 7

/** Average TPS of the C chain by day, newest first: as the specification has it (000, 4.9) and as the present service. */
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
