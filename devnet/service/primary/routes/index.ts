import type { ServiceRoute } from '../../plumbing/index.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import { delegatorRoute } from './delegators.ts'
import { l1ValidatorRoute } from './l1-validators.ts'
import { networkMetricRoute } from './network-metrics.ts'
import { nodeBlockRoute } from './node-blocks.ts'
import { rewardRoutes } from './rewards.ts'
import { subnetRoutes } from './subnets.ts'
import { transactionRoute } from './transactions.ts'
import { utxoRoutes } from './utxos.ts'
import { validatorRoute } from './validators.ts'
import { vertexRoutes } from './vertices.ts'

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
