import type { RpcMethod } from '../../http/json-rpc.ts'
import { idOf, MethodError } from '../../http/parameters.ts'
import type { ContainerStore } from '../../index/store.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'

/** The supply of the staked asset of a subnet. Only permissionless subnets have one (specification 4.3). */
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
