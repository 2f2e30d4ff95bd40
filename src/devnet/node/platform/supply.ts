import type { RpcMethod } from '../../http/json-rpc.ts'
import { idOf, MethodError } from '../../http/parameters.ts'
import type { ContainerStore } from '../../index/store.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'

/** How much there is of what a subnet stakes: only those that are open to everybody have such a number (specification 4.3). */
export function supplyMethods(
  ledger: PrimaryLedger,
  store: ContainerStore,
): Readonly<Record<'getCurrentSupply', RpcMethod>> {
  return {
    getCurrentSupply: async (parameters) => {
      const subnetId = idOf(parameters, 'subnetid')
      const height = store.count()
      const supply = (await ledger.state()).supplies.get(subnetId)
      if (supply === undefined) throw new MethodError('fetching current supply failed: not found')
      return [`{"supply":"${supply}","height":"${height}"}`]
    },
  }
}
