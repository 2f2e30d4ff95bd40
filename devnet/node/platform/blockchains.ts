import type { CachedChain } from '../../chains/cache-format.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { MethodError, textOf } from '../../http/parameters.ts'
import { chainTexts, evmVmText, vmTexts } from '../../network/genesis.ts'
import type { OtherChain } from '../../x/chain/other-chains.ts'
import { idMistake } from '../shared/ids.ts'

type BlockchainMethods = Readonly<Record<'getBlockchains' | 'getBlockchainStatus', RpcMethod>>

/** Every blockchain except the P-Chain itself, and the node's status for a blockchain (specification, part 3). */
export function blockchainMethods(
  chains: () => readonly CachedChain[],
  others: readonly OtherChain[] = [],
): BlockchainMethods {
  return {
    getBlockchains: () => {
      const created = chains().map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: evmVmText }))
      const genesis = (['C', 'X'] as const).map((alias) => {
        return { id: chainTexts[alias], name: `${alias}-Chain`, subnetID: chainTexts.P, vmID: vmTexts[alias] }
      })
      const assets = others.map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: vmTexts.X }))
      return [JSON.stringify({ blockchains: [...created, ...assets, ...genesis] })]
    },
    getBlockchainStatus: (parameters) => {
      const id = textOf(parameters, 'blockchainid')
      if (id === '') throw new MethodError("argument 'blockchainID' not given")
      const isOther = others.some((chain) => chain.id === id)
      return [`{"status":"${isOther ? 'Validating' : statusOf(id, chains())}"}`]
    },
  }
}

/** The node validates the chains of the primary network and follows the P-Chain, as the recorded nodes do. */
function statusOf(id: string, chains: readonly CachedChain[]): string {
  const primary = Object.entries(chainTexts).find(([alias, text]) => alias === id || text === id)
  if (primary !== undefined) return primary[0] === 'P' ? 'Syncing' : 'Validating'
  const mistake = idMistake(id)
  if (mistake !== null) throw new MethodError(`problem parsing blockchainID ${JSON.stringify(id)}: ${mistake}`)
  return chains.some((chain) => chain.id === id) ? 'Created' : 'Unknown'
}
