import type { ServiceRoute } from '../../plumbing/route.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import { nodeBlockRoute, vertexRoutes } from './blocks.ts'
import { networkMetricRoute } from './network-metrics.ts'
import { delegatorRoute, rewardRoutes } from './rewards.ts'
import { l1ValidatorRoute, subnetRoutes } from './subnets.ts'
import { transactionRoute } from './transactions.ts'
import { utxoRoutes } from './utxos.ts'
import { validatorRoute } from './validators.ts'

/** All routes of the service for the chains of the primary network. */
export function primaryRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  return [
    transactionRoute(ledger),
    ...utxoRoutes(ledger),
    ...rewardRoutes(ledger),
    validatorRoute(ledger),
    ...vertexRoutes(ledger),
    nodeBlockRoute(ledger),
    ...subnetRoutes(ledger),
    delegatorRoute(ledger),
    l1ValidatorRoute(ledger),
    networkMetricRoute(ledger),
  ]
}
