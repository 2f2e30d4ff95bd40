import type { ContainerStore } from '../index/store.ts'
import type { IndexPath } from '../network/network.ts'
import { chainRoutes } from './chains/routes.ts'
import type { ServiceRoute } from './plumbing/index.ts'
import { l1MessagesOf } from './signatures/l1-messages.ts'
import { signatureRoutes } from './signatures/routes.ts'

/** What the service is computed from. */
export type ServiceSource = {
  readonly stores: Readonly<Record<IndexPath, ContainerStore>>
  /** Seed of the network: genesis follows from it. */
  readonly seed: number
}

/** Every route of the service. Ledgers are read when the first request needs them. */
export function serviceRoutes({ stores }: ServiceSource): ServiceRoute[] {
  return [...chainRoutes, ...signatureRoutes(l1MessagesOf(stores['P/block']))]
}
