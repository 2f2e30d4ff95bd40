import { tables as declaredTables } from '../../../schemas/index.ts'
import { lakeExists, openCatalog, type SpendingAccount } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'

/** Units of a service that runs on the lake have spent in the last 24 hours; 0 without a lake. */
export async function spentUnits(lake: LakeLocation, account: SpendingAccount): Promise<number> {
  return (await lakeExists(lake)) ? (await openCatalog(lake, declaredTables)).units.spent(account) : 0
}
