import type { ServiceRoute } from '../plumbing/index.ts'
import type { PrimaryLedger } from './ledger.ts'
import { nodeBlockRoute } from './routes/node-blocks.ts'
import { rewardRoute } from './routes/rewards.ts'
import { transactionRoute } from './routes/transactions.ts'
import { utxoRoutes } from './routes/utxos.ts'
import { vertexRoutes } from './routes/vertices.ts'

/** Every route of the service over the chains of the primary network. */
export function primaryRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  return [
    transactionRoute(ledger),
    ...utxoRoutes(ledger),
    rewardRoute(ledger),
    ...vertexRoutes(ledger),
    nodeBlockRoute(ledger),
  ]
}
