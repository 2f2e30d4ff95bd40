import { chainRoutes } from './chains/routes.ts'
import type { Ledgers } from './ledgers.ts'
import type { ServiceRoute } from './plumbing/index.ts'
import { signatureRoutes } from './signatures/routes.ts'
import { tpsRoutes } from './tps/routes.ts'

/** Every route of the service (specification 000, part 4). */
export function serviceRoutes({ evm, messages }: Ledgers): ServiceRoute[] {
  return [...chainRoutes, ...signatureRoutes(messages), ...tpsRoutes(evm)]
}
