import type { RpcMethod, RpcMethods } from '../http/json-rpc.ts'
import { MethodError, textOf } from '../http/parameters.ts'
import type { ContainerStore } from '../index/store.ts'
import { nativeAssetText } from '../network/genesis.ts'

/** The methods of `/ext/bc/X` that say how far the chain is and what its native asset is, under both names of the service. */
export function xChainMethods(blocks: ContainerStore): RpcMethods {
  const methods: Readonly<Record<string, RpcMethod>> = {
    getHeight: () => [`{"height":"${blocks.count()}"}`],
    getAssetDescription: (parameters) => {
      const asset = textOf(parameters, 'assetid')
      if (asset !== 'AVAX' && asset !== nativeAssetText)
        throw new MethodError(`devnet: asset ${asset} is not described`)
      return [`{"assetID":"${nativeAssetText}","name":"Avalanche","symbol":"AVAX","denomination":"9"}`]
    },
  }
  const entries = Object.entries(methods)
  return Object.fromEntries(['avm', 'xvm'].flatMap((name) => entries.map(([key, each]) => [`${name}.${key}`, each])))
}
