import { chainRoutes } from './chains/routes.ts'
import { evmRoutes } from './evm/routes/routes.ts'
import type { Ledgers } from './ledgers/ledgers.ts'
import { tpsRoutes } from './metrics/tps-routes.ts'
import type { ServiceRoute } from './plumbing/index.ts'
import { primaryRoutes } from './primary/routes/index.ts'
import { signatureRoutes } from './signatures/routes.ts'

/** All routes of the service (specification 000, part 4). */
export function serviceRoutes({ primary, evm, messages }: Ledgers): ServiceRoute[] {
  return [...chainRoutes, ...signatureRoutes(messages), ...primaryRoutes(primary), ...evmRoutes(evm), ...tpsRoutes(evm)]
}
