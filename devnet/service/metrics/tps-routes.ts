import type { EvmLedger } from '../evm/state.ts'
import { listRoute, type ServiceRoute, totalsOf } from '../plumbing/index.ts'
import { averageTps } from './average-tps.ts'
import { metricRoute } from './metric-route.ts'

/** Points per page, a week, of the route without a page size parameter. */
const pointsOfPage = 7

/** Average TPS of the C-Chain by day, newest first: one route as in the specification (000, 4.9), and the route of all metrics in the current service. */
export function tpsRoutes(ledger: EvmLedger): ServiceRoute[] {
  return [
    listRoute({
      path: '/v1/avg_tps/{chainId}',
      host: 'metrics',
      parameters: {},
      pageSize: { default: pointsOfPage },
      cost: 'medium',
      past: true,
      totals: async () => ({ metrics_chain_tps: totalsOf(averageTps((await ledger.atHead()).blocks)) }),
      handle: async () => {
        const { blocks } = await ledger.atHead()
        return { items: 'results', rows: averageTps(blocks), extra: { status: 200, lastRun: blocks.at(-1)?.time ?? 0 } }
      },
    }),
    metricRoute(ledger),
  ]
}
